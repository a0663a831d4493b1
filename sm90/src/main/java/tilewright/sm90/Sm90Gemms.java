package tilewright.sm90;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import tilewright.async.TensorCopies;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.choice.Correction;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.collective.OutputForm;

/** The host side of the Hopper GEMM: from a problem to a configuration to a launch. */
public final class Sm90Gemms {
  /** The most registers for accumulators of a thread whose epilogue does more than store them. */
  static final int MOST_ACCUMULATORS = 128;
  /** The tile for epilogues that read a matrix: one consumer multiplies while the other waits for it. */
  private static final String WAITING = "128x128x1-in-turn";
  /** Along k, where waiting for a matrix that is read takes longer than what smaller tiles cost, if others multiply. */
  private static final int SHORT_K = 4096;
  /** Rows, and columns, of tiles that threads fetch. */
  private static final int FETCHED = 128;
  private static final int FETCHED_STAGES = 3;
  private static final int BAND = 16;

  private Sm90Gemms() {}

  /** Prepares the configuration that fits the problem. */
  public static PreparedLaunch prepare(GemmProblem problem) {
    return prepare(problem, EpilogueArguments.plain(problem));
  }

  /**
   * Prepares the configuration that fits the problem, with another epilogue. Where tensor copies cannot reach operands
   * of f16 and bf16, the SM80 kernel multiplies them; others threads fetch, and they store what copies cannot.
   */
  public static PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    epilogue.requireFor(problem, 1);
    boolean halves = problem.types().a() == problem.types().b() && problem.types().a().bits() == 16;
    if (halves && !isCopied(problem) && !isQuantized(epilogue)) return Gemm.sm80(problem, epilogue);
    return prepare(problem, isCopied(problem) ? configure(problem, epilogue) : fetching(problem), epilogue);
  }

  /** The configuration that fits a problem with that epilogue, whose tensors are packed. */
  public static Sm90GemmConfig configure(GemmProblem problem, Epilogue tree) {
    return configure(problem, EpilogueArguments.packed(tree, problem));
  }

  private static Sm90GemmConfig configure(GemmProblem problem, EpilogueArguments epilogue) {
    var costs = new TileCosts(problem);
    var first = costs.least(tile -> suits(tile.configure(problem), problem, epilogue)).orElseThrow();
    return (waits(first, problem, epilogue) ? waiting(problem).orElse(first) : first).configure(problem);
  }

  /** The tile that takes the place of those that would wait, if the problem can have it. */
  private static Optional<GemmTile> waiting(GemmProblem problem) {
    return GemmTiles.ALL.stream().filter(tile -> tile.name().equals(WAITING) && tile.takes(problem)).findFirst();
  }

  /** Whether a problem can have a configuration with that epilogue. */
  static boolean suits(Sm90GemmConfig config, GemmProblem problem, EpilogueArguments epilogue) {
    // Exchanged, a matrix that is read lies across, and is read element by element where it is not copied.
    boolean plain = epilogue.tree().equals(Epilogue.scaled(problem.output()))
        && TensorCopies.storeAll(problem, epilogue);
    return !(reads(epilogue) && config.transposed()) && quantizes(config, epilogue)
        && (plain || config.accumulatorRegisters() <= MOST_ACCUMULATORS);
  }

  /**
   * Whether tiles of C have whole blocks of columns that share a factor, if any do, and registers for those of a matrix
   * that is read as well.
   */
  static boolean quantizes(Sm90GemmConfig config, EpilogueArguments epilogue) {
    return !isQuantized(epilogue)
        || !config.transposed() && config.columns(epilogue.tree().products()) % Epilogue.BLOCK == 0
        && (!reads(epilogue) || config.accumulatorRegisters() <= MOST_ACCUMULATORS / 2);
  }

  private static boolean isQuantized(EpilogueArguments epilogue) {
    return epilogue.tree() instanceof Epilogue.Quantized;
  }

  private static boolean reads(EpilogueArguments epilogue) {
    return !epilogue.tree().nodes(Epilogue.Source.class).isEmpty();
  }

  /** Whether waiting for a matrix that is read takes longer than what smaller tiles cost, if others multiply. */
  private static boolean waits(GemmTile tile, GemmProblem problem, EpilogueArguments epilogue) {
    return mayWait(tile, problem, epilogue) && problem.k() <= SHORT_K
        && GemmTile.groups(problem, tile.m(), tile.n()) > GemmTile.MULTIPROCESSORS;
  }

  /** Whether all accumulators of a tile wait for a matrix that is read. */
  private static boolean mayWait(GemmTile tile, GemmProblem problem, EpilogueArguments epilogue) {
    return reads(epilogue) && tile.configure(problem).accumulatorRegisters() >= MOST_ACCUMULATORS;
  }

  /**
   * The tiles that the configuration of a problem with that epilogue is chosen from, as formulas for all problems of
   * its types and orders whose matrices tensor copies reach.
   */
  public static List<TileChoice> choices(GemmProblem problem, EpilogueArguments epilogue) {
    var tiles = GemmTiles.ALL.stream().filter(tile -> tile.canTake(problem))
        .filter(tile -> suits(tile.configure(problem), problem, epilogue)).toList();
    var waiting = tiles.stream().filter(tile -> tile.name().equals(WAITING)).findFirst();
    return tiles.stream().flatMap(tile -> {
      if (waiting.isEmpty() || tile == waiting.get() || !mayWait(tile, problem, epilogue)) {
        return Stream.of(choice(tile, tile, cost -> cost, problem, epilogue));
      }
      var never = Formula.of(Double.MAX_VALUE);
      return Stream.of(choice(tile, tile, cost -> whereItWaits(tile, never, cost), problem, epilogue),
          choice(waiting.get(), tile, cost -> whereItWaits(tile, cost, never), problem, epilogue));
    }).toList();
  }

  /** The correction of tiles' expected times, by their features. */
  public static Correction correction() {
    return CostCorrection.FITTED;
  }

  /** A tile that is chosen where another costs least, if a condition holds that a cost can be made of. */
  private static TileChoice choice(GemmTile tile, GemmTile cheapest, UnaryOperator<Formula> condition,
      GemmProblem problem, EpilogueArguments epilogue) {
    var types = problem.types();
    var bytes = ElementBytes.of(types);
    var extents = GemmExtents.named(problem);
    var cost = cheapest.cost(bytes, extents);
    var features = CostCorrection.knows(types) ? cheapest.features(bytes, extents, cost) : List.<Formula>of();
    return new TileChoice(tile.name(), condition.apply(cost), features, form(tile, types, epilogue, extents),
        tile.blocks(types));
  }

  /** The tile's forms, each twice where its columns are rows, of which vectors are read in pairs if M is even. */
  private static Formula form(GemmTile tile, GemmTypes types, EpilogueArguments epilogue, GemmExtents extents) {
    boolean pairs = tile.isTransposed() && !epilogue.tree().nodes(Epilogue.PerRow.class).isEmpty();
    return pairs ? tile.form(types).times(2).plus(extents.m().remainder(2)) : tile.form(types);
  }

  private static Formula whereItWaits(GemmTile tile, Formula then, Formula otherwise) {
    var extents = GemmExtents.NAMED;
    var ofTiles = extents.groups(tile.m(), tile.n()).atMost(Formula.of(GemmTile.MULTIPROCESSORS), otherwise, then);
    return extents.k().atMost(Formula.of(SHORT_K), ofTiles, otherwise);
  }

  /** Prepares a given configuration. */
  public static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig config) {
    return prepare(problem, config, EpilogueArguments.plain(problem));
  }

  /**
   * Prepares a given configuration with another epilogue, whose rows are those of the problem; the ring yields shared
   * memory to what that stores.
   */
  public static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig fastest, EpilogueArguments epilogue) {
    requireReachable(problem, fastest);
    return fastest.transposed() ? prepare(problem.transposed(), fastest, epilogue.transposed(), Inputs.PLAIN)
        : prepare(problem, fastest, epilogue, Inputs.PLAIN);
  }

  private static void requireReachable(GemmProblem problem, Sm90GemmConfig config) {
    TensorCopies.obstacle(problem).filter(_ -> !config.fetched()).ifPresent(obstacle -> {
      throw new IllegalArgumentException(obstacle + "; without a configuration of its own, any strides will do");
    });
  }

  /** Whether tensor copies bring both operands to where {@code wgmma} takes them. */
  static boolean isCopied(GemmProblem p) {
    return TensorCopies.obstacle(p).isEmpty() && isTaken(p.a(), p.types().a()) && isTaken(p.b(), p.types().b());
  }

  /** Only elements of 16 bits are transposed on their way. */
  private static boolean isTaken(Matrix matrix, ElementType type) {
    return type.bits() == 16 || matrix.isRowMajor();
  }

  /** The configuration for operands that are not copied. */
  static Sm90GemmConfig fetching(GemmProblem problem) {
    var types = problem.types();
    var tile = new TileShape(FETCHED, FETCHED, GemmTile.DEPTH_BYTES / types.multiplied().bytes());
    return new Sm90GemmConfig(Operands.of(problem), tile, 2, FETCHED_STAGES, new ClusterShape(1, 1, 1), BAND, 1,
        Variant.PLAIN.with(Loading.THREADS));
  }

  /**
   * The inputs of a launch that is more than one product.
   *
   * @param products that share A
   * @param arguments further ones, or others
   */
  record Inputs(Grouping grouping, int products, Consumer<LaunchArguments> arguments) {
    static final Inputs PLAIN = new Inputs(Grouping.BATCH, 1, _ -> {});
  }

  /** Prepares a given configuration with further inputs, or others. */
  static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig fastest, EpilogueArguments epilogue,
      Inputs inputs) {
    requireReachable(problem, fastest);
    if (!fastest.types().equals(problem.types())) {
      throw new IllegalArgumentException("a configuration for " + fastest.types() + " does not multiply "
          + problem.types() + ": configure that problem");
    }
    epilogue.requireFor(problem, inputs.products);
    var output = form(problem, epilogue, fastest, inputs.grouping);
    var config = yielding(fastest, output);
    var kernel = CompiledKernel.compile(new Sm90Gemm(config, output, inputs.grouping), Target.SM90A);
    if (config.streamK() && problem.k() == 0) {
      throw new IllegalArgumentException("K is 0: there are no parts of k to share");
    }
    // How many tiles groups have that end at any row is known on the GPU only.
    int clusters = inputs.grouping == Grouping.RAGGED
        ? GemmTile.MULTIPROCESSORS * config.resident() / config.cluster().blocks()
        : GemmTile.clusters(withColumns(problem, inputs.products), config);
    int blocks = clusters * config.cluster().blocks();
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(problem.n(), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()));
    epilogue.bind(arguments);
    inputs.arguments.accept(arguments);
    var scratch = config.scratch(blocks);
    scratch.forEach(part -> arguments.tensor(part.name(), part.tensor()));
    return new PreparedLaunch(kernel, Dim3.of(blocks), arguments.build(), scratch);
  }

  /** The product that takes as long as several that share A: one of all their columns. */
  static GemmProblem withColumns(GemmProblem p, int products) {
    return products == 1 ? p : new GemmProblem(p.types(), p.m(), Math.multiplyExact(products, p.n()), p.k(), p.batch(),
        p.a(), p.b(), p.c(), p.alpha(), p.beta());
  }

  /** Copies store what they reach, and nothing beside it, if there is room for them. */
  private static OutputForm form(GemmProblem problem, EpilogueArguments epilogue, Sm90GemmConfig config,
      Grouping grouping) {
    var tree = epilogue.tree();
    boolean alongN = problem.c().isRowMajor();
    var copies = grouping == Grouping.RAGGED ? OutputForm.Copies.WHOLE_BLOCKS
        : TensorCopies.reachSources(epilogue, alongN) ? OutputForm.Copies.ALL : OutputForm.Copies.OUTPUTS;
    var copied = new OutputForm(tree, alongN, epilogue.neighbours(), copies,
        GemmTile.outputStages(config));
    boolean hasRoom = yielding(config, copied).stages() >= Pipeline.LEAST_STAGES;
    int columns = config.columns(tree.products());
    return TensorCopies.storeAll(problem, epilogue) && copied.hasLongRows(problem.output(), columns) && hasRoom
        ? copied : new OutputForm(tree, alongN, 1, OutputForm.Copies.NONE, 1);
  }

  private static Sm90GemmConfig yielding(Sm90GemmConfig config, OutputForm output) {
    // Scales and metadata lie behind the barriers of a matrix that is read, at the next multiple of the alignment.
    boolean apart = config.bytesBesideOperands() > 0 && !output.epilogue().nodes(Epilogue.Source.class).isEmpty();
    int missing = apart ? Math.max(0, SharedTensor.ALIGNMENT - GemmTile.left(config, output.stages())) : 0;
    int columns = config.columns(output.epilogue().products());
    return config.yielding(config.consumers() * output.auxiliaryBytes(config.types().output(), columns) + missing);
  }

  /** The configuration that should be fastest. */
  public static Sm90GemmConfig configure(GemmProblem problem) {
    return new TileCosts(problem).least(_ -> true).orElseThrow().configure(problem);
  }

  /**
   * The configuration that should be fastest where a kernel that multiplies at most 64 rows may read the weights, B,
   * before the stream's previous kernel has ended: in a chain of layers, whose weights no kernel writes. Memory is then
   * busy while that kernel ends, and this one begins. A, C and what else the epilogue reads may be that kernel's.
   *
   * @throws IllegalArgumentException where there are more rows, or operands that are not of 16 bits and along k
   */
  public static Sm90GemmConfig configureWeightsAhead(GemmProblem problem) {
    return GemmTile.weightsAhead(problem).orElseThrow(() -> new IllegalArgumentException("no weights are copied ahead"
        + " for " + problem.m() + " rows of " + problem.types() + ": needed are at most 64, and 16-bit operands along"
        + " k"));
  }

  /** Every configuration that a problem can be measured in, in the order of their expected speed. */
  public static Stream<Sm90GemmConfig> configurations(GemmProblem problem) {
    return new TileCosts(problem).ascending().map(tile -> tile.configure(problem));
  }

  /** The tiles there are: rows, columns, CTAs that share B's, and how else it is computed: {@code 128x256x2}. */
  public static List<String> tiles() {
    return GemmTiles.ALL.stream().map(GemmTile::name).toList();
  }

  /** The tiles of {@link #tiles()} that a problem's types have, in the order of their expected speed. */
  public static List<String> tiles(GemmProblem problem) {
    return new TileCosts(problem).ascending().map(GemmTile::name).toList();
  }

  /** The configuration with a tile of {@link #tiles()}, whatever the problem's extents. */
  public static Sm90GemmConfig configure(GemmProblem problem, String tile) {
    return GemmTiles.ALL.stream().filter(t -> t.name().equals(tile) && t.canTake(problem)).findFirst().orElseThrow(
        () -> new IllegalArgumentException("invalid tile " + tile + ": " + String.join(" or ", tiles(problem))))
        .configure(problem);
  }

  /** A configuration in which all consumers share a tile. */
  static Sm90GemmConfig configure(GemmProblem problem, ClusterShape cluster, int m, int n, int consumers, int stages,
      int band) {
    var tile = new TileShape(m, n, GemmTile.DEPTH_BYTES / problem.types().a().bytes());
    return new Sm90GemmConfig(Operands.of(problem), tile, consumers, stages, cluster, band, 1, Variant.PLAIN);
  }
}
