package tilewright.simulator.core;

import java.util.Arrays;

/**
 * A product of two matrices on its way through a tensor core, up to 16×64 and sixteen steps deep. Columns are innermost
 * in the right factor and in the sums, so that loops and vectors over them read neighbours. A block of products is
 * added in singles and ints where the exponents show that this is exact, output by output in doubles and longs where
 * not.
 */
final class TensorTile {
  static final int HEIGHT = 16;
  static final int WIDTH = 64;
  static final int DEPTH = 16;
  /** Widths are multiples of it, so that vectors have no rest. */
  static final int LEAST_WIDTH = 16;
  private static final int F16_LEAST = -14;
  private static final int BIAS = 1023;
  private static final int DOUBLE_FRACTION = 52;
  /** The bits of a double's fraction that a float has not. */
  private static final long DROPPED = (1L << 29) - 1;
  private static final int SINGLE_BITS = 24;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  /** Accumulators by row and column. */
  final float[][] sums = new float[HEIGHT][WIDTH];
  final Factors left = new Factors(DEPTH, HEIGHT);
  final Factors right = new Factors(DEPTH, WIDTH);
  final TensorModel model;
  /** Scratch for one row: largest exponents, 2^(kept bits - them), and the parts of the totals scaled by that. */
  final int[] largest = new int[WIDTH];
  final float[] scale = new float[WIDTH];
  final int[] low = new int[WIDTH];
  final int[] high = new int[WIDTH];
  private final BlockAdder adder;

  TensorTile(TensorModel model, BlockAdder adder) {
    this.model = model;
    this.adder = adder;
  }

  /** Adds the products of the factors' words to {@link #sums}, block after block; {@code half}: the sums are f16. */
  void multiply(int height, int columns, int depth, MmaType type, boolean half) {
    int width = (columns + LEAST_WIDTH - 1) / LEAST_WIDTH * LEAST_WIDTH;
    pad(height, columns, width, depth);
    left.decode(type, depth, height);
    right.decode(type, depth, width);
    int block = Math.min(depth, type == MmaType.TF32 ? model.block() / 2 : model.block());
    int least = half ? F16_LEAST : Float.MIN_EXPONENT;
    int floor = half ? model.zeroF16() : BlockAdder.LEAST;
    for (int m = 0; m < height; m++) {
      for (int k = 0; k < depth; k += block) {
        if (!adder.add(this, m, width, k, block, least, floor)) {
          for (int n = 0; n < columns; n++) exact(m, n, k, block, half);
        } else if (half) {
          roundTotals(sums[m], low, high, scale, width);
        } else if (block > BlockAdder.SAFE) {
          truncateTotals(sums[m], low, high, scale, width);
        } else {
          truncateTotals(sums[m], low, scale, width);
        }
      }
    }
  }

  private void pad(int height, int columns, int width, int depth) {
    if (columns == width) return;
    for (int k = 0; k < depth; k++) Arrays.fill(right.words[k], columns, width, 0);
    for (int m = 0; m < height; m++) Arrays.fill(sums[m], columns, width, 0);
  }

  /**
   * Cuts totals to the bits of a single and scales them back. In 32-bit arithmetic without branches, which becomes
   * vector instructions: what a magnitude has beyond 24 bits says how many of its last to clear.
   */
  private static void truncateTotals(float[] sums, int[] low, float[] scale, int width) {
    for (int i = 0; i < width; i++) {
      int sign = low[i] >> 31;
      int magnitude = (low[i] ^ sign) - sign;
      sums[i] = ((magnitude & ~excess(magnitude) ^ sign) - sign) / scale[i];
    }
  }

  /** The same for totals in two parts, whose magnitude may have 32 bits. */
  private static void truncateTotals(float[] sums, int[] low, int[] high, float[] scale, int width) {
    for (int i = 0; i < width; i++) {
      int x = low[i];
      int y = high[i];
      int sign = (x >> 1) + (y >> 1) + (x & y & 1) >> 31;
      int magnitude = (x + y ^ sign) - sign;
      int kept = magnitude & ~excess(magnitude);
      float value = (kept >>> 8) * 256f + (kept & 0xFF);
      sums[i] = value * (sign | 1) / scale[i];
    }
  }

  private static int excess(int magnitude) {
    int excess = magnitude >>> SINGLE_BITS;
    excess |= excess >>> 1;
    excess |= excess >>> 2;
    return excess | excess >>> 4;
  }

  private static void roundTotals(float[] sums, int[] low, int[] high, float[] scale, int width) {
    for (int i = 0; i < width; i++) sums[i] = roundF16(((double) low[i] + high[i]) / scale[i]);
  }

  /** Subnormals of the accumulator's own format count with its least exponent. */
  private static int exponent(float c, boolean half) {
    return c == 0 ? Factors.ZERO : Math.max(Math.getExponent(c), half ? F16_LEAST : Float.MIN_EXPONENT);
  }

  private boolean anyZero(int m, int n, int first, int block) {
    if (sums[m][n] == 0) return true;
    for (int k = first; k < first + block; k++) {
      if (left.values[k][m] == 0 || right.values[k][n] == 0) return true;
    }
    return false;
  }

  /** 2 to the power, where that is a normal double; the exponents here are far inside. */
  private static double power(int exponent) {
    return Double.longBitsToDouble((long) (exponent + BIAS) << DOUBLE_FRACTION);
  }

  private static float truncateF32(double sum) {
    double magnitude = Math.abs(sum);
    if (magnitude >= Float.MIN_NORMAL) {
      if (magnitude >= 0x1p128) return sum > 0 ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY;
      return (float) Double.longBitsToDouble(Double.doubleToRawLongBits(sum) & ~DROPPED);
    }
    if (sum == 0) return 0;
    return (float) Math.copySign(Math.floor(magnitude * 0x1p149) * 0x1p-149, sum);
  }

  private static float roundF16(double sum) {
    return sum == 0 ? 0 : Conversions.fromF16(Conversions.toF16(sum, Conversions.NEAREST_EVEN));
  }

  /** One result whatever the terms are, in doubles, in which every product is exact. */
  private void exact(int m, int n, int first, int block, boolean half) {
    float old = sums[m][n];
    // A sum of the terms as doubles is infinite or NaN just when the tensor core's is: the products cannot overflow.
    double sum = Float.isFinite(old) ? 0 : old;
    int exponent = exponent(old, half);
    for (int k = first; k < first + block; k++) {
      double product = (double) left.values[k][m] * right.values[k][n];
      if (Double.isNaN(product) || Double.isInfinite(product)) sum += product;
      exponent = Math.max(exponent, left.exponents[k][m] + right.exponents[k][n]);
    }
    if (Double.isNaN(sum) || Double.isInfinite(sum)) {
      sums[m][n] = Double.isNaN(sum) ? NAN : (float) sum;
      return;
    }
    int zero = half ? model.zeroF16() : model.zeroF32();
    if (exponent < zero && anyZero(m, n, first, block)) exponent = zero;
    double factor = power(model.fraction() - exponent);
    long total = (long) (old * factor);
    for (int k = first; k < first + block; k++) {
      total += (long) ((double) left.values[k][m] * right.values[k][n] * factor);
    }
    double result = total * power(exponent - model.fraction());
    sums[m][n] = half ? roundF16(result) : truncateF32(result);
  }
}
