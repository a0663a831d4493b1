package tilewright.sm90;

import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.collective.ClusterShape;
import tilewright.sm90.collective.StagedEpilogue;

/** The host side of the Hopper GEMM: from a problem to a configuration to a launch. */
public final class HopperGemm {
  private static final int MULTIPROCESSORS = 132;
  /** Bytes of k in a stage: a swizzled row. */
  private static final int DEPTH_BYTES = 128;
  private static final int CONSUMERS = 2;

  /** Rates relative to the first, as an H200 had them at 8192³ and 4096³ where nothing else differed. */
  private static final List<Tile> TILES = List.of(new Tile(128, 256, 4, 2, 8, 1), new Tile(128, 256, 4, 1, 8, 0.99),
      new Tile(256, 128, 4, 2, 4, 0.98), new Tile(256, 128, 4, 1, 4, 0.97), new Tile(128, 128, 6, 2, 8, 0.94),
      new Tile(128, 128, 6, 1, 8, 0.93));

  private HopperGemm() {}

  /** Prepares the configuration that fits the problem. */
  public static PreparedLaunch prepare(GemmProblem problem) {
    return prepare(problem, EpilogueArguments.plain(problem));
  }

  /**
   * Prepares the configuration that fits the problem, with another epilogue. What tensor copies cannot reach, the SM80
   * kernel computes.
   */
  public static PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    boolean halves = problem.types().a() == problem.types().b() && problem.types().a().bits() == 16;
    return halves && TensorCopies.obstacle(problem, epilogue).isPresent() ? Gemm.sm80(problem, epilogue)
        : prepare(problem, configure(problem), epilogue);
  }

  /** Prepares a given configuration. */
  public static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig config) {
    return prepare(problem, config, EpilogueArguments.plain(problem));
  }

  /** Prepares a given configuration with another epilogue; the ring yields shared memory to what that stores. */
  public static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig fastest, EpilogueArguments epilogue) {
    return prepare(problem, fastest, epilogue, Grouping.BATCH, _ -> {});
  }

  /** The same with more arguments, or others. */
  static PreparedLaunch prepare(GemmProblem problem, Sm90GemmConfig fastest, EpilogueArguments epilogue,
      Grouping grouping, Consumer<LaunchArguments> more) {
    TensorCopies.obstacle(problem, epilogue).ifPresent(obstacle -> {
      throw new IllegalArgumentException(obstacle + "; the SM80 kernel takes any strides of f16 and bf16");
    });
    if (problem.output() == ElementType.I32 && problem.alpha() != 1) {
      throw new IllegalArgumentException("alpha is " + problem.alpha() + ": integers are stored as they are, with 1");
    }
    var tree = epilogue.tree();
    var config = fastest.yielding(fastest.consumers() * StagedEpilogue.auxiliaryBytes(tree, fastest.outputColumns(),
        Sm90Gemm.STORE_STAGES));
    var output = new OutputForm(tree, alongK(problem.c()), epilogue.neighbours());
    var kernel = CompiledKernel.compile(new Sm90Gemm(config, output, grouping), Target.SM90A);
    var cluster = config.cluster();
    int clusters = Math.toIntExact(Math.min(MULTIPROCESSORS * config.resident() / cluster.blocks(),
        groups(problem, config.tileM() * cluster.m(), config.tileN() * cluster.n())));
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(problem.n(), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()));
    epilogue.bind(arguments);
    more.accept(arguments);
    return new PreparedLaunch(kernel, Dim3.of(clusters * cluster.blocks()), arguments.build());
  }

  /** The configuration that should be fastest. */
  public static Sm90GemmConfig configure(GemmProblem problem) {
    return configurations(problem).findFirst().orElseThrow();
  }

  /** Every configuration that a problem can be measured in, in the order of their expected speed. */
  public static Stream<Sm90GemmConfig> configurations(GemmProblem problem) {
    return TILES.stream().sorted(Comparator.comparingDouble(tile -> tile.cost(problem)))
        .map(tile -> tile.configure(problem));
  }

  /** The tiles there are: rows, columns, and CTAs of a cluster, such as {@code 128x256x2}. */
  public static List<String> tiles() {
    return TILES.stream().map(Tile::name).toList();
  }

  /** The configuration with a tile of {@link #tiles()}, whatever the problem's extents. */
  public static Sm90GemmConfig configure(GemmProblem problem, String tile) {
    return TILES.stream().filter(t -> t.name().equals(tile)).findFirst().orElseThrow(() -> new IllegalArgumentException(
        "invalid tile " + tile + ": " + String.join(" or ", tiles()))).configure(problem);
  }

  /** A configuration in which all consumers share a tile. */
  static Sm90GemmConfig configure(GemmProblem problem, ClusterShape cluster, int m, int n, int consumers, int stages,
      int band) {
    return new Sm90GemmConfig(problem.types(), alongK(problem.a()), alongK(problem.b()), m, n,
        DEPTH_BYTES / problem.types().a().bytes(), consumers, stages, cluster, band, 1, false);
  }

  /**
   * A tile of C and how it is computed.
   *
   * @param rate multiplications a multiprocessor does in a unit of time
   */
  private record Tile(int m, int n, int stages, int cluster, int band, double rate) {
    String name() {
      return m + "x" + n + "x" + cluster;
    }

    Sm90GemmConfig configure(GemmProblem problem) {
      return HopperGemm.configure(problem, new ClusterShape(cluster, 1, 1), m, n, CONSUMERS, stages, band);
    }

    /** Units of time for a step along k: whole waves of tiles, the last of which may leave multiprocessors idle. */
    double cost(GemmProblem problem) {
      return Math.ceilDiv(groups(problem, m * cluster, n), MULTIPROCESSORS / cluster) * (m * n / rate);
    }
  }

  /** How often the tiles of one cluster, so many rows and columns together, cover C. */
  private static long groups(GemmProblem problem, int rows, int columns) {
    return (long) Math.ceilDiv(problem.m(), rows) * Math.ceilDiv(problem.n(), columns) * problem.batch();
  }

  private static boolean alongK(Matrix matrix) {
    return matrix.columnStride() == 1 || matrix.rowStride() != 1;
  }
}
