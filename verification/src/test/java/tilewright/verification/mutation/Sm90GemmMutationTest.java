package tilewright.verification.mutation;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.Loading;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.SparseGemm;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;

/** The Hopper GEMM with one piece of its synchronisation wrong, in small tiles and a ring that wraps in each. */
class Sm90GemmMutationTest {
  private static final int K = 224;
  private static final int GROUPS = 2;

  /** How the kernel's warpgroups and CTAs share the work; a launch is one cluster unless it says otherwise. */
  enum Form {
    /** Two consumers share each of two tiles, whose CTAs copy B's tiles for each other. */
    COOPERATIVE(bf16(), 256, 128, tile(128, 64, 2, new ClusterShape(2, 1, 1))),
    /** Two consumers take turns at three tiles, and each CTA copies half of A's tiles for both. */
    PING_PONG(bf16(), 64, 384, new Tile(64, 64, 2, 2, new ClusterShape(1, 2, 1), true)),
    /** Four CTAs, two rows of two: each copies half of A's tiles for one neighbour and of B's for the other. */
    SQUARE(bf16(), 128, 256, tile(64, 64, 1, new ClusterShape(2, 2, 1))),
    /** Each of two CTAs sums half of k of two tiles, and gets half of the columns. */
    SPLIT(bf16(), 64, 256, tile(64, 128, 1, new ClusterShape(1, 1, 2))),
    /** One of four CTAs adds up the others' sums of three tiles: with two, a phase frozen at one may pass. */
    FOUR_PARTS(bf16(), 64, 48, tile(64, 16, 1, new ClusterShape(1, 1, 4))),
    /** Halves of k, with A's and B's tiles copied by a thread each; of two clusters, one has two tiles. */
    AHEAD(bf16(), 64, 384, tile(64, 128, 1, new ClusterShape(1, 1, 2)),
        (p, c) -> Sm90Gemms.prepare(p, c.with(Loading.WEIGHTS_AHEAD)), 2),
    /** The same where weights are the rows. */
    AHEAD_TRANSPOSED(bf16(), 16, 192, tile(64, 16, 1, new ClusterShape(1, 1, 2)),
        (p, c) -> Sm90Gemms.prepare(p, transposed(c).with(Loading.WEIGHTS_AHEAD)), 2),
    /** One CTA that reads what an earlier kernel may have written also before it multiplies. */
    AHEAD_SOURCE(bf16(), 64, 192, tile(64, 64, 1, new ClusterShape(1, 1, 1)),
        (p, c) -> Sm90Gemms.prepare(p.scaled(1, 0.5f), c.with(Loading.WEIGHTS_AHEAD))),
    /** What C is made of besides comes to the stage from where each of three tiles leaves. */
    SOURCE(bf16(), 64, 192, tile(64, 64, 1, new ClusterShape(1, 1, 1)),
        (p, c) -> Sm90Gemms.prepare(p.scaled(1, 0.5f), c)),
    /** Sums leave the tensor core after each of two stages. */
    PROMOTED(fp8(Accumulation.EXACT), 512, 128, tile(128, 64, 2, new ClusterShape(2, 1, 1))),
    /** The same in two pieces, of which one is added while the other is multiplied. */
    TWO_PIECES(new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.F32, Accumulation.EXACT), 64, 384,
        tile(64, 192, 1, new ClusterShape(1, 1, 1))),
    /** Those of PROMOTED with scales, and with two blocks of rows for a consumer. */
    SCALED(fp8(Accumulation.SCALED), 128, 512, tile(128, 64, 1, new ClusterShape(1, 2, 1)),
        (p, c) -> ScaledGemm.packed(p).prepare(c)),
    /** Threads convert slices of an operand, which all of them read, while others are multiplied: three tiles. */
    MIXED(mixed(), 256, 384, new Tile(128, 128, 2, 3, new ClusterShape(2, 1, 1), false),
        (p, c) -> MixedGemm.packed(p).prepare(c)),
    /** The same for so few columns that several slices are multiplied together. */
    MIXED_FEW(mixed(), 64, 96, new Tile(64, 32, 1, 3, new ClusterShape(1, 1, 1), false),
        (p, c) -> MixedGemm.packed(p).prepare(c)),
    /** Half of A is stored, and all threads read metadata: two blocks of rows for one consumer, stages in pairs. */
    SPARSE(bf16(), 128, 256, tile(128, 64, 1, new ClusterShape(1, 2, 1)),
        (p, c) -> SparseGemm.packed(sparse(p)).prepare(sparse(c))),
    /** Tiles of the same kind, three of them, at which two consumers take turns. */
    SPARSE_PING_PONG(bf16(), 64, 192, new Tile(64, 64, 2, 2, new ClusterShape(1, 1, 1), true),
        (p, c) -> SparseGemm.packed(sparse(p)).prepare(sparse(c))),
    /** Each of two blocks of rows has a B of its own. */
    CONTIGUOUS(bf16(), 256, 128, tile(128, 64, 2, new ClusterShape(1, 2, 1)),
        (p, c) -> new GroupedGemm(p, Grouping.CONTIGUOUS, GROUPS).prepare(c));

    private final MutationTrial trial;

    Form(GemmTypes types, int m, int n, Tile tile) {
      this(types, m, n, tile, Sm90Gemms::prepare);
    }

    Form(GemmTypes types, int m, int n, Tile tile, Preparation preparation) {
      this(types, m, n, tile, preparation, 1);
    }

    Form(GemmTypes types, int m, int n, Tile tile, Preparation preparation, int clusters) {
      var problem = GemmProblem.packed(types, m, n, K, 1, "TN");
      var launch = preparation.of(problem, tile.configuration(types));
      trial = MutationTrial.ofZeros(launch, bytes(types, m, n))
          .on(Dim3.of(tile.cluster.m() * tile.cluster.n() * tile.cluster.splits() * clusters))
          .exceptFor(Form::isEarlyByAThread).exceptFor(HarmlessMutants.ofWaitsBehindStages(launch))
          .exceptFor(HarmlessMutants.ofFencesAgain(launch)).exceptFor(HarmlessMutants.behindBranches(launch));
    }

    /** Warps arrive whole: a turn's barrier that lacks one thread of 128 is early by a warp only after 32 turns. */
    private static boolean isEarlyByAThread(Mutant mutant) {
      return mutant.change().contains("by -1") && mutant.change().endsWith(", 128;");
    }

    private static Map<String, Integer> bytes(GemmTypes types, int m, int n) {
      int blocks = ScaledGemm.blocks(K);
      return Map.of("A", m * K * types.a().bits() / Byte.SIZE, "B", GROUPS * n * K * types.b().bytes(), "C",
          types.output().bytes() * m * n, "SA", Float.BYTES * m * blocks, "SB",
          Float.BYTES * ScaledGemm.blocks(n) * blocks,
          "E", m * K, "groups", Integer.BYTES * m / GroupedGemm.ROWS);
    }
  }

  private interface Preparation {
    PreparedLaunch of(GemmProblem problem, Sm90GemmConfig config);
  }

  /** A configuration with stages of 128 bytes of the wider operand. */
  private record Tile(int m, int n, int consumers, int stages, ClusterShape cluster, boolean pingPong) {
    Sm90GemmConfig configuration(GemmTypes types) {
      return new Sm90GemmConfig(Operands.alongK(types), new TileShape(m, n, 128 / types.b().bytes()), consumers, stages,
          cluster, 8, 1, pingPong ? Variant.PLAIN.with(Variant.Consumers.PING_PONG) : Variant.PLAIN);
    }
  }

  private static GemmProblem sparse(GemmProblem p) {
    return SparseGemm.problem(p.types(), p.m(), p.n(), p.k(), p.batch(), "TN");
  }

  private static Sm90GemmConfig sparse(Sm90GemmConfig c) {
    return new Sm90GemmConfig(c.operands().ofSparseA(), c.tile(), c.consumers(), c.stages(), c.cluster(), c.band(), 1,
        c.variant());
  }

  private static Sm90GemmConfig transposed(Sm90GemmConfig c) {
    return c.with(Variant.PLAIN.with(Variant.Orientation.TRANSPOSED));
  }

  private static Sm90GemmConfig fetched(Sm90GemmConfig c) {
    return c.with(Variant.PLAIN.with(Loading.THREADS));
  }

  /**
   * A tile in a ring that CTAs who copy for each other leave between its stages: the producer's last waits are of both
   * parities, that of the stage filled last is even, and one that is frozen is noticed.
   */
  private static Tile tile(int m, int n, int consumers, ClusterShape cluster) {
    return new Tile(m, n, consumers, cluster.m() * cluster.n() > 1 ? 3 : 2, cluster, false);
  }

  private static GemmTypes bf16() {
    return GemmTypes.of(ElementType.BF16, ElementType.BF16);
  }

  private static GemmTypes fp8(Accumulation accumulation) {
    return new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, accumulation);
  }

  private static GemmTypes mixed() {
    return new GemmTypes(ElementType.E4M3, ElementType.BF16, ElementType.BF16, Accumulation.SCALED);
  }

  /** The wait for earlier kernels that {@link HarmlessMutants} has where something is multiplied. */
  @Test
  void whatIsStoredOfNothingWaits() {
    var problem = GemmProblem.packed(bf16(), 64, 128, 0, 1, "TN");
    var tile = tile(64, 128, 1, new ClusterShape(1, 1, 1));
    var launch = Sm90Gemms.prepare(problem, tile.configuration(bf16()).with(Loading.WEIGHTS_AHEAD));
    MutationTrial.ofZeros(launch, Map.of("A", 0, "B", 0, "C", 2 * 64 * 128)).assertNoticed(module ->
        Flaw.LATE_GRID_WAIT.in(module).stream().filter(HarmlessMutants.ofWaitsBehindStages(launch)).toList());
  }

  /** Where all threads of a warpgroup fetch what others multiply, no copies use barriers that have to be published. */
  @TestFactory
  Stream<DynamicTest> everyMistakeOfThreadsThatFetchIsNoticed() {
    var problem = GemmProblem.packed(bf16(), 64, 128, K, 1, "TN");
    var launch = Sm90Gemms.prepare(problem, fetched(tile(64, 64, 1, new ClusterShape(1, 1, 1)).configuration(bf16())));
    return MutationTrial.ofZeros(launch, Form.bytes(bf16(), 64, 128)).on(Dim3.of(1))
        .exceptFor(mutant -> mutant.change().contains("fence.mbarrier_init"))
        .tests(Flaw.MISSING_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT, Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS);
  }

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return Stream.of(Form.values()).map(form -> dynamicContainer(form.name(), form.trial.tests(Flaw.MISSING_SIGNAL,
        Flaw.MISSING_BARRIER, Flaw.LATE_GRID_WAIT, Flaw.EARLIER_WAIT, Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS,
        Flaw.OTHER_BYTES)));
  }
}
