package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionConfig;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Exploration;
import tilewright.simulator.Exploration.Outcome;
import tilewright.simulator.ExplorationLimits;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm100.UmmaTypes;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;
import tilewright.verification.LongSuite;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/** Pipelines of which every schedule is proved to end well: rings of stages that wrap twice, and then some. */
class ScheduleProofTest {
  private static final ElementType TYPE = ElementType.BF16;
  private static final GemmTypes TYPES = GemmTypes.of(TYPE, TYPE);
  private static final ExplorationLimits LIMITS = ExplorationLimits.of(200, Duration.ofMinutes(2));
  /** Far more than a kernel takes, for mutants that do not end. */
  private static final SimulatorOptions OPTIONS = SimulatorOptions.defaults().withInstructionLimit(3_000_000);
  private static final int SIDE = 64;

  private static int wrapping(int stages, int depth) {
    return depth * (2 * stages + 1);
  }

  private static Map<String, MemorySegment> matrices(GemmProblem p) {
    return Map.of("A", Buffers.normal(TYPE, (long) p.m() * p.k(), 1), "B",
        Buffers.normal(TYPE, (long) p.n() * p.k(), 2), "C", Buffers.poisoned(ElementType.F32, (long) p.m() * p.n()));
  }

  private static Exploration explore(Program program, PreparedLaunch launch, Map<String, MemorySegment> buffers) {
    return program.explore(launch.on(buffers), OPTIONS, LIMITS);
  }

  private static void assertProved(PreparedLaunch launch, Map<String, MemorySegment> buffers) {
    var exploration = explore(Simulator.load(launch.kernel().ptx()), launch, buffers);
    assertEquals(List.of(), exploration.findings());
    assertEquals("", exploration.difference());
    assertEquals(Outcome.PROVED, exploration.outcome());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void gemmWithCopiesByThreads(int stages) {
    var p = GemmProblem.packed(TYPE, ElementType.F32, SIDE, SIDE, wrapping(stages, 32), 1, "TN");
    var c = Gemm.configure(p);
    var tile = new GemmConfig.Tile(SIDE, SIDE, 32, 2, 2, stages, c.tile().band(), c.tile().order());
    assertProved(Gemm.sm80(p, new GemmConfig(c.operands(), tile, c.vectors(), c.fit())), matrices(p));
  }

  /** Ways to share the Hopper GEMM's work out among consumers and CTAs. */
  enum Sharing {
    ONE_CONSUMER(SIDE, 1, new ClusterShape(1, 1, 1), Variant.PLAIN),
    TWO_CONSUMERS(2 * SIDE, 2, new ClusterShape(1, 1, 1), Variant.PLAIN),
    PING_PONG(SIDE, 2, new ClusterShape(1, 1, 1), Variant.PLAIN.with(Variant.Consumers.PING_PONG)),
    MULTICAST(SIDE, 1, new ClusterShape(2, 1, 1), Variant.PLAIN);

    private final int rows;
    private final int consumers;
    private final ClusterShape cluster;
    private final Variant variant;

    Sharing(int rows, int consumers, ClusterShape cluster, Variant variant) {
      this.rows = rows;
      this.consumers = consumers;
      this.cluster = cluster;
      this.variant = variant;
    }

    PreparedLaunch launch(GemmProblem p, int stages) {
      return Sm90Gemms.prepare(p, new Sm90GemmConfig(Operands.alongK(TYPES), new TileShape(rows, SIDE, SIDE), consumers,
          stages, cluster, 8, 1, variant));
    }
  }

  private static GemmProblem hopper(int m, int n, int stages) {
    return GemmProblem.packed(TYPES, m, n, wrapping(stages, SIDE), 1, "TN");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void gemmWithTensorCopies(int stages) {
    var p = hopper(SIDE, SIDE, stages);
    assertProved(Sharing.ONE_CONSUMER.launch(p, stages), matrices(p));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ONE_CONSUMER")
  void gemmOfSeveralWarpgroups(Sharing sharing) {
    var p = hopper(2 * SIDE, SIDE, 2);
    assertProved(sharing.launch(p, 2), matrices(p));
  }

  /** Three tiles of one CTA, so that what is between tiles matters as well. */
  @TestFactory
  Stream<DynamicTest> everyMistakeIsFound() {
    var p = hopper(SIDE, 3 * SIDE, 2);
    var all = Sharing.ONE_CONSUMER.launch(p, 2);
    var launch = new PreparedLaunch(all.kernel(), Dim3.of(1), all.arguments(), all.scratch());
    var module = PtxParser.parse(launch.kernel().ptx());
    var mutants = Stream.of(Flaw.MISSING_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT, Flaw.FROZEN_PHASE,
        Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES).flatMap(flaw -> flaw.in(module).stream()).toList();
    return Stream.concat(
        Stream.of(DynamicTest.dynamicTest("the kernel itself", () -> assertProved(launch, matrices(p)))),
        LongSuite.of(mutants).stream().map(mutant -> DynamicTest.dynamicTest(mutant.change(), () ->
            assertEquals(Outcome.FOUND,
                explore(Simulator.load(mutant.module()), launch, matrices(p)).outcome()))));
  }

  @Test
  void gemmOfAPairWithTensorMemory() {
    var p = GemmProblem.packed(TYPE, TYPE, 256, SIDE, wrapping(2, SIDE), 1, "TN");
    var config = new Sm100GemmConfig(UmmaTypes.of(TYPES), true, true, 32, 2, 2, 2, 2, false, 8, false);
    var all = Sm100Gemms.prepare(p, config);
    assertProved(new PreparedLaunch(all.kernel(), Dim3.of(2), all.arguments(), all.scratch()), matrices(p));
  }

  @Test
  void hopperAttention() {
    var trial = Sm90AttentionForm.TWO_IN_TURNS.trials().getFirst();
    assertProved(trial.launch(), trial.buffers().get());
  }

  @Test
  void attentionWithCopiesByThreads() {
    var setup = AttentionCases.band(TYPE, Sizes.of(1, 32, 16 * 5, 1, 32), Band.CAUSAL);
    var shape = new Sm80AttentionConfig.Shape(32, 16, 32, 32, 2, 2, false, true, 1, 1);
    assertProved(Sm80AttentionKernel.prepare(setup.problem(), shape), AttentionCases.buffers(setup, 1));
  }
}
