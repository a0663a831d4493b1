package tilewright.simulator.mma;

import tilewright.simulator.Fp4Model;
import tilewright.simulator.tensorcore.Fp4Dot;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.ScaleFormat;
import tilewright.simulator.tensorcore.ScaledDot;

/**
 * Block-scaled {@code mma.sync} on the matrices of a warp. The sums are taken to be those of {@code tcgen05.mma} of the
 * same kind; no device has shown that.
 */
record ScaledMma(MmaMatrices matrices, Fp4Model model, ScaleFormat format, WarpScales rows, WarpScales columns) {
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  /** Factors of eight, six and four bits, of which a row or column has one scale. */
  void multiplyBytes(int m, int n, int k, MmaType aType, MmaType bType) {
    var dot = new ScaledDot(model == Fp4Model.MMA_SIM);
    var b = new ScaledDot.Factor[n];
    for (int column = 0; column < n; column++) b[column] = factor(matrices.b, column, k, bType);
    for (int row = 0; row < m; row++) {
      var a = factor(matrices.a, row, k, aType);
      for (int column = 0; column < n; column++) {
        int left = rows.of(row, 0);
        int right = columns.of(column, 0);
        int at = row * n + column;
        matrices.floats[at] = format.isNan(left) || format.isNan(right) ? NAN
            : dot.add(matrices.floats[at], a, b[column], k, format.exponent(left) + format.exponent(right));
      }
    }
  }

  private static ScaledDot.Factor factor(int[] bits, int line, int depth, MmaType type) {
    var factor = new ScaledDot.Factor(depth);
    for (int k = 0; k < depth; k++) factor.set(k, bits[line * depth + k], type, false);
    return factor;
  }

  /** Factors of four bits, 64 deep, whose scales concern 16 or 32 steps. */
  void multiplyNibbles(int m, int n) {
    var dot = new Fp4Dot(model, format);
    var b = new Fp4Dot.Factor[n];
    for (int column = 0; column < n; column++) b[column] = nibbles(matrices.b, column);
    for (int row = 0; row < m; row++) {
      var a = nibbles(matrices.a, row);
      for (int column = 0; column < n; column++) {
        int at = row * n + column;
        matrices.floats[at] = dot.add(matrices.floats[at], a, b[column], scales(rows, row), scales(columns, column));
      }
    }
  }

  private static Fp4Dot.Factor nibbles(int[] bits, int line) {
    var factor = new Fp4Dot.Factor();
    for (int k = 0; k < Fp4Dot.DEPTH; k++) factor.set(k, bits[line * Fp4Dot.DEPTH + k], false);
    return factor;
  }

  private static int[] scales(WarpScales scales, int line) {
    int[] all = new int[Fp4Dot.GROUPS];
    for (int g = 0; g < all.length; g++) all[g] = scales.of(line, g * scales.vector() / all.length);
    return all;
  }
}
