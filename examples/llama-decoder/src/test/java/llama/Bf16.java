package llama;

/** Rounding to bf16. */
final class Bf16 {
  private static final int LOST_BITS = 16;

  private Bf16() {}

  /** Returns the nearest number that bf16 has, of two as near the even one. */
  static double round(double value) {
    int bits = Float.floatToRawIntBits((float) value);
    int even = bits >>> LOST_BITS & 1;
    return Float.intBitsToFloat(bits + (1 << LOST_BITS - 1) - 1 + even >>> LOST_BITS << LOST_BITS);
  }
}
