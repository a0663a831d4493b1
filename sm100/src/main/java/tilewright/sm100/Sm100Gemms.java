package tilewright.sm100;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import tilewright.async.TensorCopies;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Gemm;
import tilewright.ptx.Dim3;

/** The host side of the Blackwell GEMM: from a problem to a configuration to a launch. */
public final class Sm100Gemms {
  private static final int MULTIPROCESSORS = Chip.B200.multiprocessors();
  private static final int MOST_COLUMNS = 256;
  private static final int DEPTH_BYTES = 128;
  private static final int BAND = 8;
  private static final int MOST_STAGES = 6;
  /** Shared memory for the ring: what barriers and the epilogue's stages leave. */
  private static final int STAGE_BYTES = 232448 - 40960;

  private Sm100Gemms() {}

  /** Prepares the configuration that fits the problem. */
  public static PreparedLaunch prepare(GemmProblem problem) {
    return prepare(problem, EpilogueArguments.plain(problem));
  }

  /**
   * Prepares the configuration that fits the problem, with an epilogue. Where tensor copies cannot reach a matrix, the
   * SM80 kernel computes the problem if it has the types; otherwise elements within the same 16 bytes as the end of a
   * row of C may be overwritten.
   */
  public static PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    boolean halves = problem.types().a() == problem.types().b() && problem.types().a().bits() == 16;
    boolean copied = TensorCopies.obstacle(problem, epilogue).isEmpty() && TensorCopies.storeAll(problem, epilogue);
    if (halves && !copied) return Gemm.sm80(problem, epilogue);
    return prepare(problem, configure(problem), epilogue);
  }

  /** Prepares the kernel as it is on one of {@link #rungs()}, whatever the problem's extents. */
  public static PreparedLaunch prepare(GemmProblem problem, String text) {
    var rung = named(text);
    var config = configure(problem, rung);
    if (rung.specialised()) return prepare(problem, config);
    if (problem.beta() != 0) {
      throw new IllegalArgumentException("beta is " + problem.beta() + ": rung " + text + " does not read C, "
          + Rung.SPECIALISED.text() + " and those behind it do");
    }
    return prepare(problem, config, EpilogueArguments.plain(problem), new SingleThreadGemm(config), _ -> {});
  }

  /** Prepares a given configuration. */
  public static PreparedLaunch prepare(GemmProblem problem, Sm100GemmConfig config) {
    return prepare(problem, config, EpilogueArguments.plain(problem));
  }

  /** Prepares a given configuration with an epilogue. */
  public static PreparedLaunch prepare(GemmProblem problem, Sm100GemmConfig config, EpilogueArguments epilogue) {
    return prepare(problem, config, epilogue, new Sm100Gemm(config, epilogue.tree(), epilogue.neighbours()), _ -> {});
  }

  /** A kernel for that, with more arguments. */
  static PreparedLaunch prepare(GemmProblem problem, Sm100GemmConfig config, EpilogueArguments epilogue, Kernel traced,
      Consumer<LaunchArguments> more) {
    TensorCopies.obstacle(problem, epilogue).ifPresent(obstacle -> {
      throw new IllegalArgumentException(obstacle);
    });
    epilogue.requireFor(problem);
    var kernel = CompiledKernel.compile(traced, config.deep() ? Target.SM103A : Target.SM100A);
    long tiles = (long) Math.ceilDiv(problem.m(), config.cluster() * Sm100GemmConfig.TILE_M)
        * Math.ceilDiv(problem.n(), config.tileN()) * problem.batch();
    boolean stays = !config.dynamic() && config.accumulators() > 1;
    long clusters = stays ? Math.min(tiles, MULTIPROCESSORS / config.cluster()) : tiles;
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(config.storedM(problem.m()), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(config.storedN(problem.n()), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()));
    epilogue.bind(arguments);
    more.accept(arguments);
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(clusters * config.cluster())), arguments.build());
  }

  /** The configuration that should be fastest. */
  public static Sm100GemmConfig configure(GemmProblem problem) {
    return configure(problem, problem.m() > Sm100GemmConfig.TILE_M ? Rung.DYNAMIC : Rung.DYNAMIC_SINGLE);
  }

  /** The steps by which the kernel became what it is, the simplest first. */
  public static List<String> rungs() {
    return Arrays.stream(Rung.values()).map(Rung::text).toList();
  }

  /** The configuration of one of {@link #rungs()}. */
  public static Sm100GemmConfig configure(GemmProblem problem, String rung) {
    return configure(problem, named(rung));
  }

  private static Rung named(String text) {
    return Arrays.stream(Rung.values()).filter(r -> r.text().equals(text)).findFirst().orElseThrow(
        () -> new IllegalArgumentException("invalid rung " + text + ": " + String.join(" or ", rungs())));
  }

  private static Sm100GemmConfig configure(GemmProblem problem, Rung rung) {
    int tileN = problem.n() > MOST_COLUMNS / 2 ? MOST_COLUMNS : MOST_COLUMNS / 2;
    int stageBytes = DEPTH_BYTES * (Sm100GemmConfig.TILE_M + tileN / rung.ctas);
    return new Sm100GemmConfig(UmmaTypes.of(problem.types()), problem.a().isRowMajor(), problem.b().isRowMajor(), tileN,
        rung.ctas, rung.cluster, Math.min(rung.stages, STAGE_BYTES / stageBytes), rung.accumulators, rung.dynamic,
        BAND);
  }

  private enum Rung {
    /** One thread copies a stage, waits, multiplies, and waits. */
    SEQUENTIAL(1, 1, 1, 1, false),
    /** It copies ahead. */
    PIPELINED(4, 1, 1, 1, false),
    /** Warps have roles. */
    SPECIALISED(MOST_STAGES, 1, 1, 1, false),
    /** Two CTAs copy tiles of B for each other. */
    MULTICAST(MOST_STAGES, 1, 2, 1, false),
    /** Two CTAs multiply together. */
    PAIR(MOST_STAGES, 2, 2, 1, false),
    /** Pairs stay, and write a tile out while they compute the next. */
    PERSISTENT(MOST_STAGES, 2, 2, 2, false),
    /** Pairs ask for tiles whose launch they cancel. */
    DYNAMIC(MOST_STAGES, 2, 2, 2, true),
    /** Single CTAs that take over the tiles of others, where there are no rows for pairs. */
    DYNAMIC_SINGLE(MOST_STAGES, 1, 1, 2, true);

    private final int stages;
    private final int ctas;
    private final int cluster;
    private final int accumulators;
    private final boolean dynamic;

    Rung(int stages, int ctas, int cluster, int accumulators, boolean dynamic) {
      this.stages = stages;
      this.ctas = ctas;
      this.cluster = cluster;
      this.accumulators = accumulators;
      this.dynamic = dynamic;
    }

    boolean specialised() {
      return ordinal() >= SPECIALISED.ordinal();
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
