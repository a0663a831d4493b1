package tilewright.simulator.tensorcore;

import java.util.Arrays;

/**
 * A product of two matrices on its way through a tensor core, up to 64×64 and 32 steps deep. Columns are innermost in
 * the right factor and in the sums, so that loops and vectors over them read neighbours. A block of products is added
 * in floats and ints where the exponents show that this is exact, output by output in doubles and longs where not.
 */
public final class TensorTile {
  public static final int HEIGHT = 64;
  public static final int WIDTH = 64;
  public static final int DEPTH = 32;
  /** Widths are multiples of it, so that vectors have no rest. */
  public static final int LEAST_WIDTH = 16;
  private static final int F16_LEAST = -14;
  private static final int BIAS = 1023;
  private static final int DOUBLE_FRACTION = 52;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);
  /** Products below 2^27 whose sum an int holds, and below 2^15. */
  private static final int FEW = 8;
  private static final int MANY = 32;
  private static final int LARGE_FRACTION = 20;

  /** Accumulators by row and column. */
  public final float[][] sums = new float[HEIGHT][WIDTH];
  public final Factors left = new Factors(DEPTH, HEIGHT);
  public final Factors right = new Factors(DEPTH, WIDTH);
  /** Scratch for one row: largest exponents, 2^(kept bits - them), and the parts of the totals scaled by that. */
  final int[] largest = new int[WIDTH];
  final float[] scale = new float[WIDTH];
  final int[][] totals = new int[DEPTH / FEW][WIDTH];
  private final BlockAdder adder;

  public TensorTile(BlockAdder adder) {
    this.adder = adder;
  }

  /**
   * Adds the products of the factors' words to {@link #sums}, block after block.
   *
   * @param height rows, at most {@link #HEIGHT}
   * @param columns at most {@link #WIDTH}
   * @param depth steps, at most {@link #DEPTH}; a multiple of the model's block, or less
   * @param leftType the type of the left factor's words
   * @param rightType the type of the right factor's words
   */
  public void multiply(int height, int columns, int depth, MmaType leftType, MmaType rightType, DotModel model) {
    int width = (columns + LEAST_WIDTH - 1) / LEAST_WIDTH * LEAST_WIDTH;
    pad(height, columns, width, depth);
    left.decode(leftType, depth, height);
    right.decode(rightType, depth, width);
    int block = Math.min(depth, model.block());
    int together = model.fraction() > LARGE_FRACTION ? FEW : MANY;
    int offset = model.fraction() + Float.MAX_EXPONENT;
    boolean half = model.rounding().half();
    int least = half ? F16_LEAST : Float.MIN_EXPONENT;
    int floor = Math.max(model.zero(), BlockAdder.LEAST);
    for (int m = 0; m < height; m++) {
      for (int k = 0; k < depth; k += block) {
        if (adder.add(this, m, width, k, block, together, offset, least, floor)) {
          round(sums[m], (block + together - 1) / together, model.rounding(), width);
        } else {
          for (int n = 0; n < columns; n++) exact(m, n, k, block, model);
        }
      }
    }
  }

  private void round(float[] sums, int parts, DotModel.Rounding rounding, int width) {
    if (rounding.half()) {
      TotalRounding.half(sums, totals, parts, scale, width);
    } else if (parts == 1) {
      TotalRounding.truncate(sums, totals[0], scale, width, rounding.significandBits());
    } else if (parts == 2) {
      TotalRounding.truncate(sums, totals[0], totals[1], scale, width);
    } else {
      TotalRounding.truncate(sums, totals, parts, scale, width);
    }
  }

  private void pad(int height, int columns, int width, int depth) {
    if (columns == width) return;
    for (int k = 0; k < depth; k++) Arrays.fill(right.words[k], columns, width, 0);
    for (int m = 0; m < height; m++) Arrays.fill(sums[m], columns, width, 0);
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

  /** Computes one result in FP64, in which every product is exact, whatever the terms are. */
  private void exact(int m, int n, int first, int block, DotModel model) {
    boolean half = model.rounding().half();
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
    if (exponent < model.zero() && anyZero(m, n, first, block)) exponent = model.zero();
    double factor = power(model.fraction() - exponent);
    long total = (long) (old * factor);
    for (int k = first; k < first + block; k++) {
      total += (long) ((double) left.values[k][m] * right.values[k][n] * factor);
    }
    sums[m][n] = TotalRounding.of(total * power(exponent - model.fraction()), model.rounding());
  }
}
