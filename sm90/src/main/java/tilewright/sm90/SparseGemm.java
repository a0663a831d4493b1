package tilewright.sm90;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The Hopper GEMM whose A is sparse: of every four neighbours along k two are stored, of two of tf32 one, and metadata
 * say which. {@code wgmma.mma_async.sp} multiplies what is stored, twice as much of k in the time of a dense product.
 * Weights are A, as only {@code wgmma}'s A can be sparse: activations × weights is a product with a column-major C.
 *
 * <p>Metadata are words of 32 bits in the order in which threads use them, as {@link #positions} says. It is neither
 * that of cuSPARSELt, which nobody documents, nor CUTLASS's, which depends on the tile.
 *
 * @param problem whose k counts all elements, and whose A has those that are stored, by rows
 * @param metadata rows of words, each of 64 rows of A, such as {@link #packed} has
 */
public record SparseGemm(GemmProblem problem, Matrix metadata, EpilogueArguments epilogue) {
  /** Stages of k that are multiplied in pairs; rows of metadata are as long, so that none lie beyond their end. */
  private static final int PAIR = 2;
  private static final int ALIGNED_BYTES = 16;
  private static final int FEWEST_COLUMNS = 8;
  /** Groups of four bits in a word of metadata. */
  private static final int FOURS = Integer.SIZE / 4;

  public SparseGemm {
    if (problem.types().isMixed() || problem.types().accumulation() == Accumulation.SCALED) {
      throw new IllegalArgumentException("products of " + problem.types() + " have no sparse A: needed are operands of"
          + " one width without scales");
    }
  }

  /**
   * The packed problem: buffers "A" for what is stored, in rows of whole 16 bytes, "B" and "C".
   *
   * @param order TN, or TT for a B with neighbours along n
   */
  public static GemmProblem problem(GemmTypes types, int m, int n, int k, int batch, String order) {
    var dense = GemmProblem.packed(types, m, n, k, batch, order);
    if (!dense.a().isRowMajor()) {
      throw new IllegalArgumentException("invalid operand order " + order + ": a sparse A is stored by rows, as in TN"
          + " and TT");
    }
    int aligned = ALIGNED_BYTES / types.a().bytes();
    int row = Math.ceilDiv(stored(types.a(), k), aligned) * aligned;
    return new GemmProblem(types, m, n, k, batch, Matrix.rowMajor("A", m, row), dense.b(), dense.c(), 1, 0);
  }

  /** A problem whose metadata are in buffer "E". */
  public static SparseGemm packed(GemmProblem problem) {
    return packed(problem, EpilogueArguments.plain(problem));
  }

  /** Like the above, with another epilogue. */
  public static SparseGemm packed(GemmProblem problem, EpilogueArguments epilogue) {
    var shape = metadataShape(problem);
    return new SparseGemm(problem, Matrix.rowMajor("E", shape.rows, shape.words), epilogue);
  }

  private record MetadataShape(int rows, long words) {}

  private static MetadataShape metadataShape(GemmProblem p) {
    return new MetadataShape(Math.ceilDiv(p.m(), WgmmaAtom.M), (long) blocks(p) * Warpgroup.SIZE);
  }

  /** Blocks of metadata along k. */
  private static int blocks(GemmProblem p) {
    int pair = PAIR * SparseTile.DEPTH_BYTES / p.types().b().bytes();
    return Math.ceilDiv(p.k(), pair) * (pair / atom(p.types().a()).metadataDepth());
  }

  /** An atom of this type of A, whatever else it has. */
  private static WgmmaAtom atom(ElementType a) {
    return new WgmmaAtom(a, a, FEWEST_COLUMNS).ofSparseA();
  }

  private static int stored(ElementType a, int k) {
    int chunk = atom(a).chunk();
    return Math.ceilDiv(k, chunk) * (chunk / 2);
  }

  /**
   * The places of the metadata in their buffer: (row, chunk of a row, batch entry) → number of four bits, lower ones
   * first. It follows from what {@code wgmma} needs of each thread, {@link WgmmaAtom#metadata}: the words of a
   * warpgroup lie side by side, and those of 64 rows follow each other along k.
   */
  public Layout positions() {
    var words = Layout.of(Layout.of(Warpgroup.SIZE, FOURS), Layout.of(FOURS, 1));
    // (row, chunk) → (thread, four bits of its word) → place
    var block = words.composition(atom(problem.types().a()).metadata().rightInverse())
        .composition(Layout.columnMajor(WgmmaAtom.M, WgmmaAtom.METADATA_CHUNKS));
    var shape = metadataShape(problem);
    return Layout.of(Layout.of(block.mode(0), Layout.of(shape.rows, metadata.rowStride() * FOURS)),
        Layout.of(block.mode(1), Layout.of(blocks(problem), (long) Warpgroup.SIZE * FOURS)),
        Layout.of(problem.batch(), metadata.batchStride() * FOURS));
  }

  /** Prepares the configuration that fits the problem. */
  public PreparedLaunch prepare() {
    return prepare(configure());
  }

  /** The configuration that should be fastest. */
  public Sm90GemmConfig configure() {
    return configurations().getFirst();
  }

  /** Every configuration that the problem can be measured in, in the order of their expected speed. */
  public List<Sm90GemmConfig> configurations() {
    if (!Sm90Gemms.isCopied(problem)) {
      var fetching = Sm90Gemms.fetching(problem);
      return List.of(fetching.with(fetching.operands().ofSparseA()));
    }
    return SparseTile.ALL.stream().filter(tile -> tile.suits(problem.types()))
        .sorted(Comparator.comparingDouble(tile -> tile.cycles(problem))).map(tile -> tile.configure(problem))
        .filter(config -> Sm90Gemms.suits(config, problem, epilogue)).toList();
  }

  /** The names of tiles, as the dense GEMM's are called. */
  public static List<String> tiles() {
    return SparseTile.ALL.stream().map(SparseTile::name).toList();
  }

  /**
   * The configuration with a tile of {@link #tiles()}.
   *
   * @throws IllegalArgumentException for a tile that there is not, or that the problem's types do not have
   */
  public Sm90GemmConfig configure(String tile) {
    var suitable = SparseTile.ALL.stream().filter(t -> t.suits(problem.types())).toList();
    return suitable.stream().filter(t -> t.name().equals(tile)).findFirst().orElseThrow(() ->
        new IllegalArgumentException("invalid tile " + tile + ": "
            + suitable.stream().map(SparseTile::name).collect(Collectors.joining(" or ")))).configure(problem);
  }

  /** Prepares a given configuration. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    return Sm90Gemms.prepare(problem, config, epilogue, new Sm90Gemms.Inputs(Grouping.BATCH, 1, this::compressed));
  }

  private void compressed(LaunchArguments arguments) {
    arguments.tensor("A", storedArgument()).tensor("E", metadataArgument());
  }

  /** Returns A as it is stored, without what its chunks leave out. */
  LaunchArguments.Tensor storedArgument() {
    return problem.a().argument(problem.m(), stored(problem.types().a(), problem.k()), problem.batch());
  }

  LaunchArguments.Tensor metadataArgument() {
    var shape = metadataShape(problem);
    return metadata.argument(shape.rows, shape.words, problem.batch());
  }
}
