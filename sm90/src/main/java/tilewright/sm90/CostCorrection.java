package tilewright.sm90;

import java.io.IOException;
import java.io.UncheckedIOException;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.choice.BoostedTrees;
import tilewright.kernels.choice.Correction;

/**
 * The correction of times that {@link GemmCost} expects, fitted to those of docs/benchmarks/gemm by
 * {@code tilewright.verification.fit.GemmCostFit}. It knows tiles of 16-bit operands and results only.
 */
final class CostCorrection {
  private static final String TREES = "gemm-cost.trees";
  /** Trees that were fitted to other shapes choose as well with these bounds as without. */
  private static final double LEAST = -0.1;
  private static final double MOST = 0.2;

  static final Correction FITTED = new Correction("gemm-cost-sm90", trees(), LEAST, MOST);

  private CostCorrection() {}

  private static BoostedTrees trees() {
    try (var in = CostCorrection.class.getResourceAsStream(TREES)) {
      return BoostedTrees.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the trees are part of this program", e);
    }
  }

  /** Whether times of these types were measured. */
  static boolean knows(GemmTypes types) {
    return types.a().bits() == Short.SIZE && types.b() == types.a() && types.output() == types.a()
        && types.accumulation() == Accumulation.FAST;
  }
}
