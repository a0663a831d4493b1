package tilewright.sm90;

import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;

/**
 * The Hopper GEMM of two matrices B that share A, in one pass over A: C = f(alpha·A·B₁ᵀ) · (alpha·A·B₂ᵀ), the gate and
 * the up projection of a feed-forward layer (Shazeer, "GLU Variants Improve Transformer").
 *
 * <p>A CTA's tile of B is ((columns, 2), K): the rows of B₁ for some columns of C, then those of B₂. One box of a
 * tensor map (N, K, 2, L) brings both, and a thread's accumulators hold both products of an element, for the epilogue.
 *
 * @param problem of one product; B is B₁
 * @param distance from B₁ to B₂, in elements of the same buffer: those of a layer are usually one matrix (2N, K)
 * @param epilogue of the products 0 and 1
 */
public record DualGemm(GemmProblem problem, long distance, EpilogueArguments epilogue) {
  private static final int PRODUCTS = 2;
  /** Columns of C whose blocks the epilogue stores are wide. */
  private static final int COLUMNS = 32;
  /** Columns of C whose rows of B lie side by side in a swizzled row, where they do. */
  private static final int SWIZZLED = 64;
  /** CTAs that load a tile of B together: one for each product at most. */
  private static final int MOST_SHARING = 2;
  private static final int ALIGNED_BYTES = 16;

  public DualGemm {
    if (problem.types().accumulation() == Accumulation.SCALED) {
      throw new IllegalArgumentException("two products of " + problem.types() + " have no scales: multiply them one by"
          + " one, or with the accumulation fast or exact");
    }
  }

  /** B₁ and B₂ as one matrix (2N, K) in each batch entry, and the gate with an activation. */
  public static DualGemm packed(GemmProblem p, Pointwise activation) {
    return packed(p, EpilogueArguments.packed(gated(activation, p.output()), p));
  }

  /** B₁ and B₂ as one matrix (2N, K) in each batch entry. */
  public static DualGemm packed(GemmProblem p, EpilogueArguments epilogue) {
    var b = p.b();
    long distance = b.batchStride();
    var stacked = new Matrix(b.buffer(), b.offset(), b.rowStride(), b.columnStride(), PRODUCTS * distance);
    var problem = new GemmProblem(p.types(), p.m(), p.n(), p.k(), p.batch(), p.a(), stacked, p.c(), p.alpha(),
        p.beta());
    return new DualGemm(problem, distance, epilogue);
  }

  /** A function of the first product times the second, both scaled. */
  public static Epilogue gated(Pointwise activation, ElementType output) {
    var alpha = Epilogue.scalar("alpha");
    return Epilogue.accumulator(0).times(alpha).apply(activation).times(Epilogue.accumulator(1).times(alpha))
        .convert(output);
  }

  /** Prepares the configuration that fits the problem. */
  public PreparedLaunch prepare() {
    return prepare(configure());
  }

  /** The configuration that should be fastest: that of one product of all columns, among those whose tiles suit. */
  public Sm90GemmConfig configure() {
    if (!Sm90Gemms.isCopied(problem) || distance * problem.types().b().bytes() % ALIGNED_BYTES != 0) {
      return Sm90Gemms.fetching(problem);
    }
    var wide = wide();
    return new TileCosts(wide).least(tile -> suits(tile, tile.configure(wide)))
        .orElseThrow().configure(wide);
  }

  /** One product of all columns: that of a problem which a configuration of both is made for. */
  public GemmProblem wide() {
    return Sm90Gemms.withColumns(problem, PRODUCTS);
  }

  /** Whether a tile's accumulators hold two products, and leave registers for what is made of them. */
  private boolean suits(GemmTile tile, Sm90GemmConfig config) {
    int columns = config.operands().bKMajor() ? COLUMNS : SWIZZLED;
    return !config.transposed() && tile.n() % (PRODUCTS * columns) == 0
        && Sm90Gemms.quantizes(config, epilogue) && config.cluster().m() <= MOST_SHARING
        && config.accumulatorRegisters() <= Sm90Gemms.MOST_ACCUMULATORS;
  }

  /** Prepares a configuration for {@link #wide}, whose tiles have half of their columns for each product. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    return Sm90Gemms.prepare(problem, config, epilogue, new Sm90Gemms.Inputs(Grouping.BATCH, PRODUCTS,
        arguments -> arguments.tensor("B", both())));
  }

  private LaunchArguments.Tensor both() {
    var b = problem.b();
    return new LaunchArguments.Tensor(b.buffer(), b.offset(),
        List.of((long) problem.n(), (long) problem.k(), (long) PRODUCTS, (long) problem.batch()),
        List.of(b.rowStride(), b.columnStride(), distance, b.batchStride()));
  }
}
