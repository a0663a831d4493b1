package tilewright.cli.tensor;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The header of a {@code .npy} file
 * (<a href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">NumPy's format</a>).
 *
 * @param fortranOrder whether the first index, not the last, runs fastest
 */
public record NpyHeader(NpyType type, boolean fortranOrder, List<Long> shape) {
  public NpyHeader {
    shape = List.copyOf(shape);
  }

  /** @throws IllegalArgumentException if the text is not the dictionary the format asks for */
  static NpyHeader parse(String text) {
    var entries = PythonLiteral.parseDictionary(text);
    var fortranOrder = entry(entries.get("fortran_order"), Boolean.class, "fortran_order", "True or False");
    var descr = entry(entries.get("descr"), String.class, "descr", "one plain element type, such as '<f4'");
    var shape = entry(entries.get("shape"), List.class, "shape", "a tuple of integers");
    var extents = new java.util.ArrayList<Long>();
    for (var extent : shape) {
      if (!(extent instanceof Long n) || n < 0) {
        throw new IllegalArgumentException("its header has an extent " + extent + "; needed are integers from 0 on");
      }
      extents.add(n);
    }
    return new NpyHeader(NpyType.parse(descr), fortranOrder, extents);
  }

  private static <T> T entry(Object value, Class<T> type, String key, String needed) {
    if (type.isInstance(value)) return type.cast(value);
    throw new IllegalArgumentException(value == null
        ? "its header lacks '" + key + "'"
        : "its header's '" + key + "' is " + value + "; needed is " + needed);
  }

  /** @throws IllegalArgumentException if the bytes cannot be counted in 64 bits */
  long dataBytes() {
    // An extent of zero makes the array empty however large the others are.
    if (shape.contains(0L)) return 0;
    try {
      return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    } catch (ArithmeticException _) {
      throw new IllegalArgumentException("its header promises " + extents() + " elements, more than any memory holds");
    }
  }

  /** The magic number, version 1.0 and this header, padded so that the data begins at a multiple of 64 bytes. */
  byte[] encode() {
    var dictionary = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }".formatted(
        type.descr(), fortranOrder ? "True" : "False", tuple());
    var unpadded = NpyFile.MAGIC_BYTES + 2 + 2 + dictionary.length() + 1;
    var text = dictionary + " ".repeat(-unpadded & 63) + "\n";
    var head = new java.io.ByteArrayOutputStream();
    head.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
    head.writeBytes(new byte[] {(byte) text.length(), (byte) (text.length() >> 8)});
    head.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    return head.toByteArray();
  }

  private String tuple() {
    return shape.stream().map(String::valueOf).collect(Collectors.joining(", ")) + (shape.size() == 1 ? "," : "");
  }

  /** The extents for people, such as {@code 3×4}. */
  public String extents() {
    return shape.isEmpty() ? "a scalar" : shape.stream().map(String::valueOf).collect(Collectors.joining("×"));
  }
}
