package tilewright.simulator.core;

/**
 * One operand of a {@link TensorTile}. Each factor comes in as a word: a single whose exponent field holds the type's
 * own field, so that all types are decoded by one loop without branches. A product of two values is exact as a single.
 */
final class Factors {
  /** The exponent of a zero: with any other it stays far below every product's. */
  static final int ZERO = -2048;
  /** The exponent of infinities and NaN: even with a zero it stays far above every product's. */
  static final int SPECIAL = 8192;
  private static final int FIELD = 0x7F80_0000;
  private static final int FRACTION_BITS = 23;
  /** Tf32 has ten bits of fraction; tensor cores drop the others before they look at the number. */
  private static final int TF32_BITS = -1 << 13;

  final int[] words;
  final float[] values;
  final int[] exponents;

  Factors(int count) {
    words = new int[count];
    values = new float[count];
    exponents = new int[count];
  }

  /** The word of a factor's bits. */
  static int word(int bits, MmaType type) {
    return switch (type) {
      case F16 -> halfWord(bits);
      case BF16 -> bits << 16;
      default -> bits & TF32_BITS;
    };
  }

  static int halfWord(int bits) {
    return (bits & 0x8000) << 16 | (bits & 0x7FFF) << 13;
  }

  /** Decodes the first so many words. Subnormals count with the type's least exponent. */
  void decode(MmaType type, int count) {
    boolean half = type == MmaType.F16;
    int bias = half ? 15 : Float.MAX_EXPONENT;
    int top = half ? 0x1F : 0xFF;
    // The exponent field of f16 read as a single's is too low by the difference of the biases.
    float rescale = half ? 0x1p112f : 1;
    for (int i = 0; i < count; i++) {
      int word = words[i];
      int field = word >>> FRACTION_BITS & 0xFF;
      int exponent = Math.max(field, 1) - bias;
      if (field == top) {
        word |= FIELD;
        exponent = SPECIAL;
      }
      exponents[i] = word << 1 == 0 ? ZERO : exponent;
      values[i] = Float.intBitsToFloat(word) * rescale;
    }
  }
}
