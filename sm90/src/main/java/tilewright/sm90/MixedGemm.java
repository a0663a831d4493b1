package tilewright.sm90;

import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.sm90.collective.ClusterShape;

/**
 * The Hopper GEMM of 8-bit weights A and 16-bit activations B: C = alpha·Σ (SA·A)·Bᵀ, where A has a scale for each row
 * and 128 of k. A is converted in registers, and what 128 of k add is multiplied by the scale in single precision.
 * Weights multiply from the left because only {@code wgmma}'s A can come from registers; a column-major C is the usual
 * activations × weights.
 *
 * @param problem of e4m3 or e5m2 and bf16 or f16, with an accumulation that is {@link Accumulation#SCALED}
 * @param scales (M, ⌈K/128⌉), any strides
 */
public record MixedGemm(GemmProblem problem, Matrix scales) {
  private static final int TILE = 128;
  private static final int CONSUMERS = 2;
  private static final int STAGES = 4;
  private static final int BAND = 8;

  public MixedGemm {
    if (!problem.types().isMixed() || problem.types().accumulation() != Accumulation.SCALED) {
      throw new IllegalArgumentException("products " + problem.types()
          + " are not mixed: needed are e4m3 or e5m2 by bf16 or f16 and the accumulation scaled");
    }
  }

  /** Scales in buffer "SA", by rows. */
  public static MixedGemm packed(GemmProblem problem) {
    return new MixedGemm(problem, Matrix.rowMajor("SA", problem.m(), ScaledGemm.blocks(problem.k())));
  }

  /** Prepares a launch. */
  public PreparedLaunch prepare() {
    return prepare(HopperGemm.configure(problem, new ClusterShape(2, 1, 1), TILE, TILE, CONSUMERS, STAGES, BAND));
  }

  /** Prepares a given configuration. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    return HopperGemm.prepare(problem, config, EpilogueArguments.plain(problem), Grouping.BATCH, arguments -> arguments
        .tensor("SA", scales.argument(problem.m(), ScaledGemm.blocks(problem.k()), problem.batch())));
  }
}
