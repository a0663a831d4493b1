package tilewright.simulator.arithmetic;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;

/** Functions of 16-bit floats, by value, as an H200 gave them. */
final class HalfTables {
  private HalfTables() {}

  /** The values of all operands, from a resource that has their differences. */
  static char[] read(String name) {
    char[] values = new char[1 << 16];
    try (var in = new DataInputStream(new GZIPInputStream(HalfTables.class.getResourceAsStream(name), 1 << 16))) {
      for (int i = 0; i < values.length; i++) values[i] = (char) ((i == 0 ? 0 : values[i - 1]) + in.readChar());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return values;
  }
}
