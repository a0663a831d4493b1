package tilewright.simulator.core;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;

/**
 * How far an approximation of the hardware is from the correctly rounded result, in units of the last place, for every
 * significand. The resource, recorded on an H200, lists the places that are off: numbers of 7 bits a byte, lowest
 * first, each four times the distance from the place before, plus two, plus the correction (-2…1).
 */
final class CorrectionTable {
  private static final int PER_BYTE = 4;
  private final byte[] codes;

  private CorrectionTable(byte[] codes) {
    this.codes = codes;
  }

  /** @param places how many significands the table has */
  static CorrectionTable read(String name, int places) {
    byte[] codes = new byte[places / PER_BYTE];
    try (var in = new GZIPInputStream(open(name), 1 << 16)) {
      byte[] list = in.readAllBytes();
      int at = 0;
      int place = -1;
      while (at < list.length) {
        int value = 0;
        for (int shift = 0;; shift += 7) {
          value |= (list[at] & 0x7F) << shift;
          if (list[at++] >= 0) break;
        }
        place += value >>> 2;
        // Stored so that an untouched code means no correction.
        codes[place / PER_BYTE] |= (byte) (((value & 3) - 2 & 3) << 2 * (place % PER_BYTE));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new CorrectionTable(codes);
  }

  /** Values of all 16-bit operands. */
  static char[] values(String name) {
    char[] values = new char[1 << 16];
    try (var in = new DataInputStream(new GZIPInputStream(open(name), 1 << 16))) {
      for (int i = 0; i < values.length; i++) values[i] = (char) ((i == 0 ? 0 : values[i - 1]) + in.readChar());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return values;
  }

  private static InputStream open(String name) throws IOException {
    var in = CorrectionTable.class.getResourceAsStream(name);
    if (in == null) throw new IOException("no resource " + name);
    return in;
  }

  /** -2…1. */
  int at(int place) {
    int code = codes[place / PER_BYTE] >>> 2 * (place % PER_BYTE) & 3;
    return code >= 2 ? code - 4 : code;
  }

  /** A positive result moved by its correction. */
  float correct(float rounded, int place) {
    return Float.intBitsToFloat(Float.floatToRawIntBits(rounded) + at(place));
  }
}
