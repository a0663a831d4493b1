package tilewright.simulator.tensorcore;

/**
 * One operand of a {@link TensorTile}, a row for each step of depth. Each factor comes in as a word: an FP32 number
 * whose exponent field holds the type's own field, so that all types are decoded by one loop without branches. The
 * product of two values is exact as an FP32 number, or so small that it counts for nothing.
 */
public final class Factors {
  /** The exponent of a zero: with any other it stays far below every product's. */
  static final int ZERO = -2048;
  /** The exponent of infinities and NaN: even with a zero it stays far above every product's. */
  static final int SPECIAL = 8192;
  private static final int FIELD = 0x7F80_0000;
  private static final int FRACTION_BITS = 23;
  /** Tf32 has ten bits of fraction; tensor cores drop the others before they look at the number. */
  static final int TF32_BITS = -1 << 13;

  /** By depth and row or column; {@link TensorTile#multiply} decodes them. */
  public final int[][] words;
  final float[][] values;
  final int[][] exponents;

  Factors(int depth, int width) {
    words = new int[depth][width];
    values = new float[depth][width];
    exponents = new int[depth][width];
  }

  /** The word of a factor's bits. */
  public static int word(int bits, MmaType type) {
    return switch (type) {
      case F16 -> halfWord(bits);
      case BF16 -> bits << 16;
      case TF32 -> bits & TF32_BITS;
      case E4M3 -> (bits & 0x7F) == 0x7F ? Integer.MAX_VALUE : word(bits, 4, 3);
      case E5M2 -> word(bits, 5, 2);
      case E3M2 -> word(bits, 3, 2);
      case E2M3 -> word(bits, 2, 3);
      case E2M1 -> word(bits, 2, 1);
      default -> throw new IllegalArgumentException("tensor cores do not multiply " + type.text() + " as floats");
    };
  }

  public static int halfWord(int bits) {
    return (bits & 0x8000) << 16 | (bits & 0x7FFF) << 13;
  }

  private static int word(int bits, int exponentBits, int fractionBits) {
    int sign = bits >>> exponentBits + fractionBits << 31;
    return sign | (bits & (1 << exponentBits + fractionBits) - 1) << FRACTION_BITS - fractionBits;
  }

  void decode(MmaType type, int depth, int width) {
    var format = type.format();
    // Formats without infinities have their NaN, if any, as the word of an FP32's.
    boolean ieee = type == MmaType.F16 || type == MmaType.E5M2;
    int top = ieee ? (1 << format.exponentBits()) - 1 : 0xFF;
    // An exponent field read as an FP32's is too low by the difference of the biases.
    float rescale = Math.scalb(1f, Float.MAX_EXPONENT - format.bias());
    for (int k = 0; k < depth; k++) {
      exponents(words[k], exponents[k], width, format.bias(), top);
      values(words[k], values[k], width, rescale);
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
