package tilewright.simulator.mma;

import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.DirectedMath;
import tilewright.simulator.arithmetic.DoubleNans;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.tensorcore.Factors;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.NumberFormat;
import tilewright.simulator.tensorcore.TensorTile;

/**
 * The matrices of one multiplication between fragments and tensor core, by row and column: A (m,k), B (k,n) as columns
 * of k, C and D (m,n). Integers are values, half and tf32 elements their bits, doubles doubles.
 */
final class MmaMatrices {
  private static final int LARGEST_SIDE = 32;
  private static final int LARGEST_DEPTH = 256;

  final int[] a = new int[16 * LARGEST_DEPTH];
  final int[] b = new int[LARGEST_SIDE * 128];
  final double[] aDouble = new double[16 * 16];
  final double[] bDouble = new double[16 * 16];
  /** Row-major sums: floats for floating-point accumulators, integers, or doubles. */
  final float[] floats = new float[LARGEST_SIDE * LARGEST_SIDE];
  final int[] integers = new int[LARGEST_SIDE * LARGEST_SIDE];
  final double[] doubles = new double[16 * 16];

  /** D = A·B + C on integers: exact, then wrapped or, once, clamped. */
  void multiplyIntegers(int m, int n, int k, boolean saturate) {
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        // Factors of eight bits or fewer: no sum of their products leaves an int.
        int products = 0;
        for (int d = 0; d < k; d++) products += a[row * k + d] * b[column * k + d];
        long sum = (long) integers[row * n + column] + products;
        integers[row * n + column] = saturate ? Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) sum;
      }
    }
  }

  /** Adds for each output the number of depths at which both bits are set, or at which they differ. */
  void countBits(int m, int n, int k, boolean differing) {
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        int count = 0;
        for (int d = 0; d < k; d++) {
          int left = a[row * k + d];
          int right = b[column * k + d];
          count += differing ? left ^ right : left & right;
        }
        integers[row * n + column] += count;
      }
    }
  }

  /** A chain of fused multiply-adds by increasing depth, each rounded. */
  void multiplyDoubles(int m, int n, int k, int mode) {
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        double sum = doubles[row * n + column];
        for (int d = 0; d < k; d++) sum = fma(aDouble[row * k + d], bDouble[column * k + d], sum, mode);
        doubles[row * n + column] = sum;
      }
    }
  }

  private static double fma(double a, double b, double c, int mode) {
    return mode == Conversions.NEAREST_EVEN ? DoubleNans.fma(a, b, c) : DirectedMath.fma(a, b, c, mode);
  }

  /** {@code .satfinite} of floating-point sums: the largest number for an infinity, zero for NaN. */
  void makeFinite(int count, float largest) {
    for (int i = 0; i < count; i++) floats[i] = floats[i] != floats[i] ? 0 : Math.clamp(floats[i], -largest, largest);
  }

  /**
   * D = A·B + C where A holds only the elements that are stored, half of each row. What B has beside the others takes
   * no part, whatever it is; so every row multiplies a B of its own.
   */
  void multiplySparse(TensorTile tile, int m, int n, int k, MmaArithmetic arithmetic, SparseMetadata metadata,
      boolean saturate) {
    var one = new MmaMatrices();
    int stored = k / 2;
    for (int row = 0; row < m; row++) {
      for (int j = 0; j < stored; j++) {
        one.a[j] = a[row * stored + j];
        int column = metadata.column(row, j);
        for (int c = 0; c < n; c++) one.b[c * stored + j] = b[c * k + column];
      }
      if (arithmetic.a().isInteger()) {
        System.arraycopy(integers, row * n, one.integers, 0, n);
        one.multiplyIntegers(1, n, stored, saturate);
        System.arraycopy(one.integers, 0, integers, row * n, n);
      } else {
        System.arraycopy(floats, row * n, one.floats, 0, n);
        one.multiplyFloats(tile, 1, n, stored, arithmetic);
        System.arraycopy(one.floats, 0, floats, row * n, n);
      }
    }
  }

  /** D = A·B + C as the architecture's tensor cores add floating-point products up. */
  void multiplyFloats(TensorTile tile, int m, int n, int k, MmaArithmetic arithmetic) {
    if (arithmetic.emulated()) {
      multiplyBytes(tile, m, n, k, arithmetic);
    } else if (n < TensorTile.LEAST_WIDTH) {
      // The tile is wide rather than high: D transposed is B transposed by A transposed.
      multiply(tile, b, a, n, m, k, arithmetic.b(), arithmetic.a(), arithmetic, true);
    } else {
      multiply(tile, a, b, m, n, k, arithmetic.a(), arithmetic.b(), arithmetic, false);
    }
  }

  private void multiplyBytes(TensorTile tile, int m, int n, int k, MmaArithmetic arithmetic) {
    var sums = new MmaMatrices();
    for (int half = 0; half < 2; half++) {
      halves(a, sums.a, m, k, half, arithmetic.a().format());
      halves(b, sums.b, n, k, half, arithmetic.b().format());
      sums.multiplyFloats(tile, m, n, k / 2, arithmetic.ofHalves());
    }
    for (int i = 0; i < m * n; i++) {
      floats[i] = arithmetic.model().rounding().half() ? addHalves(floats[i], sums.floats[i])
          : FloatMath.canonical(floats[i] + sums.floats[i]);
    }
  }

  private static float addHalves(float a, float b) {
    return Conversions.fromF16(HalfMath.addF16(Conversions.toF16(a), Conversions.toF16(b)));
  }

  /** Converts to f16 the elements whose step along k belongs to one half. */
  private static void halves(int[] from, int[] to, int lines, int depth, int half, NumberFormat format) {
    int at = 0;
    for (int line = 0; line < lines; line++) {
      for (int k = 0; k < depth; k++) {
        if (MmaArithmetic.half(k) == half) to[at++] = Conversions.toF16(format.decode(from[line * depth + k]));
      }
    }
  }

  private void multiply(TensorTile tile, int[] left, int[] right, int height, int width, int depth, MmaType leftType,
      MmaType rightType, MmaArithmetic arithmetic, boolean transposed) {
    for (int k = 0; k < depth; k++) {
      for (int row = 0; row < height; row++) tile.left.words[k][row] = Factors.word(left[row * depth + k], leftType);
      for (int column = 0; column < width; column++) {
        tile.right.words[k][column] = Factors.word(right[column * depth + k], rightType);
      }
    }
    for (int row = 0; row < height; row++) {
      for (int column = 0; column < width; column++) {
        tile.sums[row][column] = floats[transposed ? column * height + row : row * width + column];
      }
    }
    tile.multiply(height, width, depth, leftType, rightType, arithmetic.model());
    for (int row = 0; row < height; row++) {
      for (int column = 0; column < width; column++) {
        floats[transposed ? column * height + row : row * width + column] = tile.sums[row][column];
      }
    }
  }
}
