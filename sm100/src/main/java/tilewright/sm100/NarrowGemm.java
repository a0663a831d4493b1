package tilewright.sm100;

import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The host side of products of floats of eight bits and fewer, with scales or without: C = f(alpha·A·Bᵀ) for
 * elements "A" (M×K) and "B" (N×K) and scales "SA" and "SB" as {@link NarrowLayout} has them, and C (M×N) row by row;
 * matrices of a batch follow each other. Epilogues, and who computes which tile, are as in {@link BlackwellGemm}.
 */
public final class NarrowGemm {
  private static final int STAGES = 4;
  private static final int BAND = 8;
  private static final int SCALED_COLUMNS = 128;
  private static final int MOST_COLUMNS = 256;
  private static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;

  private NarrowGemm() {}

  /** The problem for buffers "A", "B" and "C": K counts the containers of rows with the zeros behind them. */
  public static GemmProblem problem(UmmaTypes types, int m, int n, int k) {
    return problem(types, m, n, k, 1);
  }

  /** The same of a batch. */
  public static GemmProblem problem(UmmaTypes types, int m, int n, int k, int batch) {
    int containers = layout(types, m, k).pitch() / types.kind().perContainer();
    var stored = new GemmTypes(types.a().container(), types.b().container(), types.output(), Accumulation.FAST);
    return new GemmProblem(stored, m, n, containers, batch, Matrix.rowMajor("A", m, containers),
        Matrix.rowMajor("B", n, containers), Matrix.rowMajor("C", m, n), 1, 0);
  }

  /** An epilogue on products that are multiplied by the factors that quantizers left in buffers "FA" and "FB" (L). */
  public static EpilogueArguments withFactors(EpilogueArguments epilogue, int batch) {
    return epilogue.withFactors(batch, "FA", "FB");
  }

  /** Prepares C = alpha·A·Bᵀ; alpha includes the factors of both matrices. */
  public static PreparedLaunch prepare(UmmaTypes types, int m, int n, int k, float alpha) {
    var problem = problem(types, m, n, k).scaled(alpha, 0);
    return prepare(configure(types, m, n), problem, k, EpilogueArguments.plain(problem));
  }

  /**
   * Prepares a given configuration.
   *
   * @param problem as {@link #problem} makes it, scaled perhaps, and with another C; a matrix whose batch has no stride
   *     is that of every entry
   * @param k elements of a row
   */
  public static PreparedLaunch prepare(Sm100GemmConfig config, GemmProblem problem, int k,
      EpilogueArguments epilogue) {
    var types = config.types();
    return BlackwellGemm.prepare(problem, config, epilogue,
        new Sm100Gemm(config, epilogue.tree(), epilogue.neighbours()), arguments -> {
          if (!types.kind().scaled()) return;
          arguments.tensor("SA", scales("SA", layout(types, problem.m(), k), problem.a(), problem.batch()));
          arguments.tensor("SB", scales("SB", layout(types, problem.n(), k), problem.b(), problem.batch()));
        });
  }

  /** The configuration for products of that size; two CTAs multiply together where there are rows for both. */
  public static Sm100GemmConfig configure(UmmaTypes types, int m, int n) {
    int ctas = m > Sm100GemmConfig.TILE_M ? 2 : 1;
    int columns = types.kind().scaled() || n <= SCALED_COLUMNS ? SCALED_COLUMNS : MOST_COLUMNS;
    return new Sm100GemmConfig(types, true, true, columns, ctas, ctas, STAGES, 2, true, BAND);
  }

  private static NarrowLayout layout(UmmaTypes types, int rows, int k) {
    return new NarrowLayout(new NarrowFormat(types.kind(), types.a()), rows, k);
  }

  private static LaunchArguments.Tensor scales(String name, NarrowLayout layout, Matrix elements, long batch) {
    long tiles = layout.tiles();
    long blocks = layout.blockRows();
    return new LaunchArguments.Tensor(name, 0, List.of(tiles, (long) WORDS, blocks, batch),
        List.of((long) WORDS, 1L, tiles * WORDS, elements.batchStride() == 0 ? 0 : blocks * tiles * WORDS));
  }
}
