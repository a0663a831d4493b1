package tilewright.simulator.core;

/**
 * One 16×8 tile on its way through a tensor core. Rows are innermost everywhere, so that the loops over them become
 * vector instructions; values are doubles, in which every product is exact.
 */
final class TensorTile {
  static final int ROWS = 16;
  static final int COLUMNS = 8;
  private static final int DEPTH = 16;
  private static final int F16_LEAST = -14;
  private static final int BIAS = 1023;
  private static final int DOUBLE_FRACTION = 52;
  /** The exponent of a zero: so low that no product with it is the largest. */
  private static final int ZERO = -4096;
  /** The bits of a double's fraction that a float has not. */
  private static final long DROPPED = (1L << 29) - 1;
  /** The bits of a single that a tf32 factor has: the tensor core drops the others before it looks at the number. */
  private static final int TF32_BITS = -1 << 13;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  /** Accumulators: column n's rows begin at 16 n. */
  final float[] sums = new float[ROWS * COLUMNS];
  private final double[] a = new double[ROWS * DEPTH];
  private final int[] aExponent = new int[ROWS * DEPTH];
  private final double[] b = new double[COLUMNS * DEPTH];
  private final int[] bExponent = new int[COLUMNS * DEPTH];
  private final int[] largest = new int[ROWS];
  private final double[] scale = new double[ROWS];
  private final double[] start = new double[ROWS];
  private final int[] low = new int[ROWS];
  private final int[] high = new int[ROWS];
  private final TensorModel model;
  private boolean special;

  TensorTile(TensorModel model) {
    this.model = model;
  }

  /** Takes eight steps of depth from the fragments: rows g and g+8 of A and column g of B, g = lane/4. */
  void inputs(int[] upper, int[] lower, int[] right, int k, boolean bf16) {
    if (k == 0) special = false;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int g = lane >> 2;
      int depth = k + 2 * (lane & 3);
      decodeA(upper[lane], g, depth, bf16);
      decodeA(lower[lane], g + 8, depth, bf16);
      int pair = right[lane];
      b[g * DEPTH + depth] = value(pair & 0xFFFF, bf16);
      bExponent[g * DEPTH + depth] = exponent(pair & 0xFFFF, bf16);
      b[g * DEPTH + depth + 1] = value(pair >>> 16, bf16);
      bExponent[g * DEPTH + depth + 1] = exponent(pair >>> 16, bf16);
    }
  }

  private void decodeA(int pair, int row, int depth, boolean bf16) {
    a[depth * ROWS + row] = value(pair & 0xFFFF, bf16);
    aExponent[depth * ROWS + row] = exponent(pair & 0xFFFF, bf16);
    a[(depth + 1) * ROWS + row] = value(pair >>> 16, bf16);
    aExponent[(depth + 1) * ROWS + row] = exponent(pair >>> 16, bf16);
  }

  private static double value(int bits, boolean bf16) {
    return bf16 ? Conversions.fromBf16(bits) : Conversions.fromF16(bits);
  }

  private int exponent(int bits, boolean bf16) {
    int fraction = bf16 ? 7 : 10;
    int largestField = bf16 ? 0xFF : 0x1F;
    int field = bits >>> fraction & largestField;
    if (field == largestField) special = true;
    if ((bits & 0x7FFF) == 0) return ZERO;
    return Math.max(field, 1) - (largestField >> 1);
  }

  /** Multiplies the tile of larger matrices that begins at a row and a column; rows beyond the last are zero. */
  void multiply(MmaMatrices matrices, int row, int column, int rows, int columns, int depth, MmaType type,
      boolean half) {
    special = false;
    for (int k = 0; k < depth; k++) {
      for (int m = 0; m < ROWS; m++) {
        int bits = row + m < rows ? matrices.a[(row + m) * depth + k] : 0;
        a[k * ROWS + m] = value(bits, type);
        aExponent[k * ROWS + m] = exponent(bits, type);
      }
      for (int n = 0; n < COLUMNS; n++) {
        int bits = matrices.b[(column + n) * depth + k];
        b[n * DEPTH + k] = value(bits, type);
        bExponent[n * DEPTH + k] = exponent(bits, type);
      }
    }
    for (int n = 0; n < COLUMNS; n++) {
      for (int m = 0; m < ROWS; m++) {
        sums[n * ROWS + m] = row + m < rows ? matrices.floats[(row + m) * columns + column + n] : 0;
      }
    }
    multiply(depth, type == MmaType.TF32 ? model.block() / 2 : model.block(), half);
    for (int n = 0; n < COLUMNS; n++) {
      for (int m = 0; m < ROWS && row + m < rows; m++) {
        matrices.floats[(row + m) * columns + column + n] = sums[n * ROWS + m];
      }
    }
  }

  private static double value(int bits, MmaType type) {
    return type == MmaType.TF32 ? Float.intBitsToFloat(bits & TF32_BITS) : value(bits, type == MmaType.BF16);
  }

  private int exponent(int bits, MmaType type) {
    if (type != MmaType.TF32) return exponent(bits, type == MmaType.BF16);
    int field = bits >>> 23 & 0xFF;
    if (field == 0xFF) special = true;
    return (bits & TF32_BITS & Integer.MAX_VALUE) == 0 ? ZERO : Math.max(field, 1) - Float.MAX_EXPONENT;
  }

  /** Adds the products of so many steps of 16-bit factors to {@link #sums}, block after block. */
  void multiply(int depth, boolean half) {
    multiply(depth, model.block(), half);
  }

  private void multiply(int depth, int longest, boolean half) {
    int block = Math.min(depth, longest);
    for (int n = 0; n < COLUMNS; n++) {
      for (int k = 0; k < depth; k += block) {
        if (special || !finite(n)) {
          for (int m = 0; m < ROWS; m++) exact(m, n, k, block, half);
        } else {
          column(n, k, block, half);
        }
      }
    }
  }

  private boolean finite(int n) {
    float sum = 0;
    for (int m = 0; m < ROWS; m++) sum += Math.abs(sums[n * ROWS + m]) * 0f;
    return sum == 0;
  }

  /** One block for one column, without infinities and NaN. */
  private void column(int n, int first, int block, boolean half) {
    int at = n * ROWS;
    int fraction = model.fraction();
    for (int m = 0; m < ROWS; m++) largest[m] = exponent(sums[at + m], half);
    for (int k = first; k < first + block; k++) {
      int right = bExponent[n * DEPTH + k];
      for (int m = 0; m < ROWS; m++) largest[m] = Math.max(largest[m], aExponent[k * ROWS + m] + right);
    }
    int zero = half ? model.zeroF16() : model.zeroF32();
    for (int m = 0; m < ROWS; m++) {
      if (largest[m] < zero && anyZero(m, n, first, block)) largest[m] = zero;
      scale[m] = power(fraction - largest[m]);
      start[m] = sums[at + m];
    }
    for (int m = 0; m < ROWS; m++) {
      low[m] = (int) (start[m] * scale[m]);
      high[m] = 0;
    }
    // Sixteen terms can overflow an int, eight cannot.
    addProducts(low, n, first, Math.min(block, 8));
    if (block > 8) addProducts(high, n, first + 8, 8);
    for (int m = 0; m < ROWS; m++) {
      double sum = ((long) low[m] + high[m]) * power(largest[m] - fraction);
      sums[at + m] = half ? roundF16(sum) : truncateF32(sum);
    }
  }

  private void addProducts(int[] into, int n, int first, int count) {
    double[] left = a;
    double[] factor = scale;
    for (int k = first; k < first + count; k++) {
      double right = b[n * DEPTH + k];
      int row = k * ROWS;
      for (int m = 0; m < ROWS; m++) into[m] += (int) (left[row + m] * right * factor[m]);
    }
  }

  /** Subnormals of the accumulator's own format count with its least exponent. */
  private static int exponent(float c, boolean half) {
    return c == 0 ? ZERO : Math.max(Math.getExponent(c), half ? F16_LEAST : Float.MIN_EXPONENT);
  }

  private boolean anyZero(int m, int n, int first, int block) {
    if (sums[n * ROWS + m] == 0) return true;
    for (int k = first; k < first + block; k++) if (a[k * ROWS + m] == 0 || b[n * DEPTH + k] == 0) return true;
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

  /** One result when infinities or NaN may be among the terms. */
  private void exact(int m, int n, int first, int block, boolean half) {
    int at = n * ROWS + m;
    // A sum of the terms as doubles is infinite or NaN just when the tensor core's is: the products cannot overflow.
    double sum = Double.isNaN(sums[at]) || Double.isInfinite(sums[at]) ? sums[at] : 0;
    int exponent = exponent(sums[at], half);
    for (int k = first; k < first + block; k++) {
      double product = a[k * ROWS + m] * b[n * DEPTH + k];
      if (Double.isNaN(product) || Double.isInfinite(product)) sum += product;
      exponent = Math.max(exponent, aExponent[k * ROWS + m] + bExponent[n * DEPTH + k]);
    }
    if (Double.isNaN(sum) || Double.isInfinite(sum)) {
      sums[at] = Double.isNaN(sum) ? NAN : (float) sum;
      return;
    }
    int zero = half ? model.zeroF16() : model.zeroF32();
    if (exponent < zero && anyZero(m, n, first, block)) exponent = zero;
    double factor = power(model.fraction() - exponent);
    long total = (long) (sums[at] * factor);
    for (int k = first; k < first + block; k++) total += (long) (a[k * ROWS + m] * b[n * DEPTH + k] * factor);
    double result = total * power(exponent - model.fraction());
    sums[at] = half ? roundF16(result) : truncateF32(result);
  }
}
