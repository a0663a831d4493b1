package tilewright.cli;

import java.nio.ByteOrder;

/**
 * The type of a NumPy array's elements.
 *
 * @param kind {@code f} floating point, {@code u} unsigned integer, {@code V} bytes of no declared meaning
 */
record NpyType(char kind, int bytes, ByteOrder order) {
  static final NpyType FLOAT16 = littleEndian('f', 2);
  static final NpyType FLOAT32 = littleEndian('f', 4);
  static final NpyType FLOAT64 = littleEndian('f', 8);
  /** What NumPy stores for the {@code bfloat16} of other libraries. */
  static final NpyType OPAQUE16 = littleEndian('V', 2);

  private static NpyType littleEndian(char kind, int bytes) {
    return new NpyType(kind, bytes, ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Reads NumPy's spelling, such as {@code <f4}.
   *
   * @throws IllegalArgumentException if it is not one of the types a matrix here can have
   */
  static NpyType parse(String descr) {
    if (!descr.matches("[<>|=](f2|f4|f8|u2|V2)")) {
      throw new IllegalArgumentException("its element type is '" + descr
          + "'; needed is f2, f4 or f8, or bfloat16 stored as V2 or u2");
    }
    var order = descr.charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    return new NpyType(descr.charAt(1), descr.charAt(2) - '0', order);
  }

  /** NumPy's spelling. */
  String descr() {
    return (kind == 'V' ? "|" : order == ByteOrder.BIG_ENDIAN ? ">" : "<") + kind + bytes;
  }
}
