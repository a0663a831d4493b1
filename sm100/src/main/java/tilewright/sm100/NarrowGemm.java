package tilewright.sm100;

import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The host side of products of floats of eight bits and fewer, with scales or without: C = f(alpha·A·Bᵀ) for
 * elements "A" (M×K) and "B" (N×K) and scales "SA" and "SB" as {@link NarrowLayout} has them, and C (M×N) row by row;
 * matrices of a batch follow each other. Epilogues, and who computes which tile, are as in {@link Sm100Gemms}.
 */
public final class NarrowGemm {
  private static final int STAGES = 4;
  private static final int DEEP_STAGES = 2;
  private static final int BAND = 8;
  private static final int SCALED_COLUMNS = 128;
  private static final int MOST_COLUMNS = 256;
  private static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;

  private NarrowGemm() {}

  /** The problem for buffers "A", "B" and "C": K counts the containers of rows with the zeros behind them. */
  public static GemmProblem problem(UmmaTypes types, int m, int n, int k) {
    return problem(types, m, n, k, 1);
  }

  /** A problem with a batch of matrices. */
  public static GemmProblem problem(UmmaTypes types, int m, int n, int k, int batch) {
    return problem(types, m, n, k, batch, "TN");
  }

  /**
   * A problem in an operand order: with N for A, or T for B, {@link NarrowLayout} stores columns one after the other.
   */
  public static GemmProblem problem(UmmaTypes types, int m, int n, int k, int batch, String order) {
    if (!List.of("TN", "NN", "TT", "NT").contains(order)) {
      throw new IllegalArgumentException("invalid operand order '" + order + "': TN, TT, NN or NT");
    }
    var a = layout(types, m, k, order.charAt(0) == 'T');
    var b = layout(types, n, k, order.charAt(1) == 'N');
    int containers = a.columns() / types.kind().perContainer();
    var stored = new GemmTypes(types.a().container(), types.b().container(), types.output(), Accumulation.FAST);
    return new GemmProblem(stored, m, n, containers, batch, matrix("A", a, containers), matrix("B", b, containers),
        Matrix.rowMajor("C", m, n), 1, 0);
  }

  private static Matrix matrix(String buffer, NarrowLayout layout, int containers) {
    return layout.alongK() ? Matrix.rowMajor(buffer, layout.rows(), containers)
        : Matrix.columnMajor(buffer, layout.storedRows(), containers);
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
    return Sm100Gemms.prepare(problem, config, epilogue,
        new Sm100Gemm(config, epilogue.tree(), epilogue.neighbours()), arguments -> {
          if (types.kind().scaled()) bindScales(arguments, types, problem, k);
        });
  }

  /**
   * Binds the scales of both operands as tensors "SA" and "SB" of words: (tiles along k, words of a tile, tiles along
   * the rows, batch).
   *
   * @param k elements of a row
   */
  public static void bindScales(LaunchArguments arguments, UmmaTypes types, GemmProblem problem, int k) {
    arguments.tensor("SA", scales("SA", layout(types, problem.m(), k, true), problem.a(), problem.batch()));
    arguments.tensor("SB", scales("SB", layout(types, problem.n(), k, true), problem.b(), problem.batch()));
  }

  /** The configuration for products of that size; two CTAs multiply together where there are rows for both. */
  public static Sm100GemmConfig configure(UmmaTypes types, int m, int n) {
    return configure(types, problem(types, m, n, 0));
  }

  /** The configuration for the operand orders of a problem. */
  public static Sm100GemmConfig configure(UmmaTypes types, GemmProblem problem) {
    return configure(types, problem, Target.SM100A);
  }

  /**
   * The configuration for a target: SM103A multiplies more elements of four bits at once, of stages that are three
   * times as deep, for which only pairs of CTAs have room.
   */
  public static Sm100GemmConfig configure(UmmaTypes types, GemmProblem problem, Target target) {
    int columns = types.kind().scaled() || problem.n() <= SCALED_COLUMNS ? SCALED_COLUMNS : MOST_COLUMNS;
    boolean aKMajor = problem.a().columnStride() == 1;
    boolean bKMajor = problem.b().columnStride() == 1;
    // A copy that unpacks elements along n fills 128 columns, which half a tile may not have.
    boolean halves = bKMajor || types.b().bits() == Byte.SIZE || columns == MOST_COLUMNS;
    int ctas = problem.m() > Sm100GemmConfig.TILE_M && halves ? 2 : 1;
    boolean deep = target.equals(Target.SM103A) && types.kind().perContainer() > 1 && ctas > 1;
    return new Sm100GemmConfig(types, aKMajor, bKMajor, columns, ctas, ctas, deep ? DEEP_STAGES : STAGES, 2, true,
        BAND, deep);
  }

  /** That of all elements of the kind. */
  private static NarrowLayout layout(UmmaTypes types, int rows, int k, boolean alongK) {
    return new NarrowLayout(new NarrowFormat(types.kind(), types.a()), rows, k, alongK);
  }

  private static LaunchArguments.Tensor scales(String name, NarrowLayout layout, Matrix elements, long batch) {
    long tiles = layout.tiles();
    long blocks = layout.blockRows();
    return new LaunchArguments.Tensor(name, 0, List.of(tiles, (long) WORDS, blocks, batch),
        List.of((long) WORDS, 1L, tiles * WORDS, elements.batchStride() == 0 ? 0 : blocks * tiles * WORDS));
  }
}
