package tilewright.simulator.core;

/**
 * One 16×8 tile on its way through a tensor core, sixteen steps deep. Rows are innermost in A and in the sums, so that
 * loops and vectors over them read neighbours. A block of products is added in singles and ints where the exponents
 * show that this is exact, output by output in doubles and longs where not.
 */
final class TensorTile {
  static final int ROWS = 16;
  static final int COLUMNS = 8;
  static final int OUTPUTS = ROWS * COLUMNS;
  private static final int DEPTH = 16;
  private static final int F16_LEAST = -14;
  private static final int BIAS = 1023;
  private static final int DOUBLE_FRACTION = 52;
  /** The bits of a double's fraction that a float has not. */
  private static final long DROPPED = (1L << 29) - 1;
  private static final int SINGLE_BITS = 24;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  /** Accumulators: column n's rows begin at 16 n. */
  final float[] sums = new float[OUTPUTS];
  /** Row m at depth k is 16 k + m. */
  final Factors a = new Factors(ROWS * DEPTH);
  /** Column n at depth k is 8 k + n. */
  final Factors b = new Factors(COLUMNS * DEPTH);
  final TensorModel model;
  /** Scratch of the block adder, by output: largest exponent, 2^(kept bits - it), and the parts of the scaled total. */
  final int[] largest = new int[OUTPUTS];
  final float[] scale = new float[OUTPUTS];
  final int[] low = new int[OUTPUTS];
  final int[] high = new int[OUTPUTS];
  private final BlockAdder adder;

  TensorTile(TensorModel model, BlockAdder adder) {
    this.model = model;
    this.adder = adder;
  }

  /** Takes eight steps of depth from the fragments: rows g and g+8 of A and column g of B, g = lane/4. */
  void inputs(int[] upper, int[] lower, int[] right, int k, boolean bf16) {
    int[] left = a.words;
    int[] columns = b.words;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int g = lane >> 2;
      int depth = k + 2 * (lane & 3);
      int row = depth * ROWS + g;
      int column = depth * COLUMNS + g;
      left[row] = lowWord(upper[lane], bf16);
      left[row + ROWS] = highWord(upper[lane], bf16);
      left[row + 8] = lowWord(lower[lane], bf16);
      left[row + ROWS + 8] = highWord(lower[lane], bf16);
      columns[column] = lowWord(right[lane], bf16);
      columns[column + COLUMNS] = highWord(right[lane], bf16);
    }
  }

  private static int lowWord(int pair, boolean bf16) {
    return bf16 ? pair << 16 : Factors.halfWord(pair);
  }

  private static int highWord(int pair, boolean bf16) {
    return bf16 ? pair & 0xFFFF_0000 : Factors.halfWord(pair >>> 16);
  }

  /** Multiplies the tile of larger matrices that begins at a row and a column; rows beyond the last are zero. */
  void multiply(MmaMatrices matrices, int row, int column, int rows, int columns, int depth, MmaType type,
      boolean half) {
    for (int k = 0; k < depth; k++) {
      for (int m = 0; m < ROWS; m++) {
        int bits = row + m < rows ? matrices.a[(row + m) * depth + k] : 0;
        a.words[k * ROWS + m] = Factors.word(bits, type);
      }
      for (int n = 0; n < COLUMNS; n++) {
        b.words[k * COLUMNS + n] = Factors.word(matrices.b[(column + n) * depth + k], type);
      }
    }
    for (int n = 0; n < COLUMNS; n++) {
      for (int m = 0; m < ROWS; m++) {
        sums[n * ROWS + m] = row + m < rows ? matrices.floats[(row + m) * columns + column + n] : 0;
      }
    }
    multiply(depth, type, half);
    for (int n = 0; n < COLUMNS; n++) {
      for (int m = 0; m < ROWS && row + m < rows; m++) {
        matrices.floats[(row + m) * columns + column + n] = sums[n * ROWS + m];
      }
    }
  }

  /** Adds the products of so many steps to {@link #sums}, block after block; {@code half}: the sums are f16. */
  void multiply(int depth, MmaType type, boolean half) {
    a.decode(type, depth * ROWS);
    b.decode(type, depth * COLUMNS);
    int block = Math.min(depth, type == MmaType.TF32 ? model.block() / 2 : model.block());
    int least = half ? F16_LEAST : Float.MIN_EXPONENT;
    int floor = half ? model.zeroF16() : BlockAdder.LEAST;
    for (int k = 0; k < depth; k += block) {
      if (!adder.add(this, k, block, least, floor)) {
        for (int n = 0; n < COLUMNS; n++) for (int m = 0; m < ROWS; m++) exact(m, n, k, block, half);
      } else if (half) {
        roundTotalsF16();
      } else {
        truncateTotals();
      }
    }
  }

  /**
   * Cuts the totals to the bits of a single and scales them back. In 32-bit arithmetic without branches, which becomes
   * vector instructions: the magnitude has up to 32 bits, whose excess over 24 says how many of the last to clear.
   */
  private void truncateTotals() {
    int[] low = this.low;
    int[] high = this.high;
    float[] scale = this.scale;
    float[] sums = this.sums;
    for (int i = 0; i < OUTPUTS; i++) {
      int x = low[i];
      int y = high[i];
      int sign = (x >> 1) + (y >> 1) + (x & y & 1) >> 31;
      int magnitude = (x + y ^ sign) - sign;
      int excess = magnitude >>> SINGLE_BITS;
      excess |= excess >>> 1;
      excess |= excess >>> 2;
      excess |= excess >>> 4;
      int kept = magnitude & ~excess;
      float value = (kept >>> 8) * 256f + (kept & 0xFF);
      sums[i] = value * (sign | 1) / scale[i];
    }
  }

  private void roundTotalsF16() {
    for (int i = 0; i < OUTPUTS; i++) sums[i] = roundF16(((double) low[i] + high[i]) / scale[i]);
  }

  /** Subnormals of the accumulator's own format count with its least exponent. */
  private static int exponent(float c, boolean half) {
    return c == 0 ? Factors.ZERO : Math.max(Math.getExponent(c), half ? F16_LEAST : Float.MIN_EXPONENT);
  }

  private boolean anyZero(int m, int n, int first, int block) {
    if (sums[n * ROWS + m] == 0) return true;
    for (int k = first; k < first + block; k++) {
      if (a.values[k * ROWS + m] == 0 || b.values[k * COLUMNS + n] == 0) return true;
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
    int at = n * ROWS + m;
    // A sum of the terms as doubles is infinite or NaN just when the tensor core's is: the products cannot overflow.
    double sum = Double.isNaN(sums[at]) || Double.isInfinite(sums[at]) ? sums[at] : 0;
    int exponent = exponent(sums[at], half);
    for (int k = first; k < first + block; k++) {
      double product = (double) a.values[k * ROWS + m] * b.values[k * COLUMNS + n];
      if (Double.isNaN(product) || Double.isInfinite(product)) sum += product;
      exponent = Math.max(exponent, a.exponents[k * ROWS + m] + b.exponents[k * COLUMNS + n]);
    }
    if (Double.isNaN(sum) || Double.isInfinite(sum)) {
      sums[at] = Double.isNaN(sum) ? NAN : (float) sum;
      return;
    }
    int zero = half ? model.zeroF16() : model.zeroF32();
    if (exponent < zero && anyZero(m, n, first, block)) exponent = zero;
    double factor = power(model.fraction() - exponent);
    long total = (long) (sums[at] * factor);
    for (int k = first; k < first + block; k++) {
      total += (long) ((double) a.values[k * ROWS + m] * b.values[k * COLUMNS + n] * factor);
    }
    double result = total * power(exponent - model.fraction());
    sums[at] = half ? roundF16(result) : truncateF32(result);
  }
}
