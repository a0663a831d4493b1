package tilewright.simulator.core;

/**
 * One operand of a {@link TensorTile}, a row for each step of depth. Each factor comes in as a word: a single whose
 * exponent field holds the type's own field, so that all types are decoded by one loop without branches. The product
 * of two values is exact as a single, or so small that it counts for nothing.
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

  final int[][] words;
  final float[][] values;
  final int[][] exponents;

  Factors(int depth, int width) {
    words = new int[depth][width];
    values = new float[depth][width];
    exponents = new int[depth][width];
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

  void decode(MmaType type, int depth, int width) {
    boolean half = type == MmaType.F16;
    for (int k = 0; k < depth; k++) {
      exponents(words[k], exponents[k], width, half ? 15 : Float.MAX_EXPONENT, half ? 0x1F : 0xFF);
      // The exponent field of f16 read as a single's is too low by the difference of the biases.
      values(words[k], values[k], width, half ? 0x1p112f : 1);
    }
  }

  /** Subnormals count with the type's least exponent. Choices are masks, so that C2 makes vector instructions of it. */
  private static void exponents(int[] words, int[] exponents, int width, int bias, int top) {
    for (int i = 0; i < width; i++) {
      int word = words[i];
      int field = word >>> FRACTION_BITS & 0xFF;
      int ordinary = field - top >> 31;
      int nonzero = -(word & Integer.MAX_VALUE) >> 31;
      int exponent = Math.max(field, 1) - bias & ordinary | SPECIAL & ~ordinary;
      exponents[i] = exponent & nonzero | ZERO & ~nonzero;
      words[i] = word | FIELD & ~ordinary;
    }
  }

  private static void values(int[] words, float[] values, int width, float rescale) {
    for (int i = 0; i < width; i++) values[i] = Float.intBitsToFloat(words[i]) * rescale;
  }
}
