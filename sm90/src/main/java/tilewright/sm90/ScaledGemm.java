package tilewright.sm90;

import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.sm90.collective.BlockScales;

/**
 * The Hopper GEMM of 8-bit floats with scales: C = alpha·Σ (SA·A)·(SB·B)ᵀ, where A has a scale for each row and
 * 128 of k, B for each 128 rows and 128 of k, and every 128 of k the sums are added in FP32 (DeepSeek-V3).
 *
 * @param problem with an accumulation that is {@link Accumulation#SCALED}
 * @param scalesA (M, ⌈K/128⌉), neighbouring rows side by side and columns at multiples of 16 bytes, as tensor
 *     copies need them and cuBLASLt has them
 * @param scalesB (⌈N/128⌉, ⌈K/128⌉), any strides
 */
public record ScaledGemm(GemmProblem problem, Matrix scalesA, Matrix scalesB) {
  /** Rows that fill 16 bytes. */
  private static final int PADDED = 4;

  public ScaledGemm {
    var types = problem.types();
    if (types.isMixed() || !types.isPromoted() || types.accumulation() != Accumulation.SCALED) {
      throw new IllegalArgumentException("products " + problem.types()
          + " have no scales: needed are e4m3 or e5m2 and the accumulation scaled");
    }
  }

  /** Scales in buffers "SA", neighbouring rows side by side, columns padded to 16 bytes, and "SB", by rows. */
  public static ScaledGemm packed(GemmProblem problem) {
    return new ScaledGemm(problem, scalesByColumns(problem),
        Matrix.rowMajor("SB", blocks(problem.n()), blocks(problem.k())));
  }

  /** A's in buffer "SA". */
  static Matrix scalesByColumns(GemmProblem problem) {
    int rows = Math.ceilDiv(problem.m(), PADDED) * PADDED;
    return Matrix.columnMajor("SA", rows, blocks(problem.k()));
  }

  /** Blocks that an extent has. */
  public static int blocks(int extent) {
    return Math.ceilDiv(extent, BlockScales.BLOCK);
  }

  /** Prepares the configuration that fits the problem. */
  public PreparedLaunch prepare() {
    return prepare(Sm90Gemms.isCopied(problem) ? Sm90Gemms.configure(problem) : Sm90Gemms.fetching(problem));
  }

  /** Prepares a given configuration. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    return Sm90Gemms.prepare(problem, config, EpilogueArguments.plain(problem),
        new Sm90Gemms.Inputs(Grouping.BATCH, 1, arguments -> arguments
            .tensor("SA", scalesA.argument(problem.m(), blocks(problem.k()), problem.batch()))
            .tensor("SB", scalesB.argument(blocks(problem.n()), blocks(problem.k()), problem.batch()))));
  }
}
