package tilewright.simulator.tensormap;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The resources of {@code tma}: kernels, tables of cases, and what an H200 made of them. */
final class Resources {
  private Resources() {}

  private static InputStream open(String name) {
    return Resources.class.getResourceAsStream("/tilewright/simulator/tma/" + name);
  }

  static String text(String name) {
    try (var in = open(name)) {
      return new String(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> lines(String name) {
    return text(name).lines().toList();
  }

  /** A file's bytes; those of one that ends in {@code .gz} uncompressed. */
  static byte[] bytes(String name) {
    try (var in = name.endsWith(".gz") ? new GZIPInputStream(open(name)) : open(name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sixteen-bit words that are their index times {@code factor} plus {@code first}. */
  static byte[] words(int bytes, int factor, int first) {
    var b = new byte[bytes];
    for (int i = 0; i < bytes / 2; i++) {
      b[2 * i] = (byte) (i * factor + first);
      b[2 * i + 1] = (byte) (i * factor + first >> 8);
    }
    return b;
  }

  /** Words of which each was recorded as the difference from the word before. */
  static byte[] summed(byte[] differences) {
    var words = differences.clone();
    int word = 0;
    for (int i = 0; i < words.length; i += 2) {
      word += words[i] & 0xFF | words[i + 1] << 8;
      words[i] = (byte) word;
      words[i + 1] = (byte) (word >> 8);
    }
    return words;
  }
}
