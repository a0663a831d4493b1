package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.numerics.ElementType;
import tilewright.reference.ScoreRule;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionBackwardCases.Setup;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/** The gradients of attention on the simulator, by the kernel of each architecture. */
class AttentionBackwardTest {
  private static final long SEED = 11;
  private static final int SCHEDULES = 3;
  private static final Sizes SIZES = new Sizes(1, 140, 400, 2, 1, 32, 32);
  private static final List<Band> BANDS = List.of(Band.ALL, Band.CAUSAL, Band.window(100, 30));

  private static Stream<AttentionBackwardKernel> kernels() {
    return AttentionBackwardKernels.builtIn().all().stream();
  }

  static List<Arguments> setups() {
    return LongSuite.of(kernels().flatMap(kernel -> AttentionBackwardCases.small().stream()
        .filter(setup -> kernel.refusal(setup.problem()).isEmpty())
        .map(setup -> (Arguments) Arguments.argumentSet(kernel.name() + " " + setup, kernel, setup))).toList());
  }

  @ParameterizedTest
  @MethodSource("setups")
  void gradientsAreWithinTheErrorRuleAndTheSanitizerIsSilent(AttentionBackwardKernel kernel, Setup setup) {
    var row = Verification.verify(AttentionBackwardCases.makeCase(kernel, setup, SEED), new SimulatorBackend(SEED));
    assertEquals("", row.reason());
    assertEquals(Row.Status.PASS, row.status());
  }

  /** Every kernel with every band, or a sample that has each of both. */
  static List<Arguments> bands() {
    return LongSuite.of(kernels().flatMap(kernel -> BANDS.stream()
        .map(band -> (Arguments) Arguments.argumentSet(kernel.name() + " " + band, kernel, band))).toList());
  }

  @ParameterizedTest
  @MethodSource("bands")
  void aFixedOrderGivesTheSameBitsUnderEverySchedule(AttentionBackwardKernel kernel, Band band) {
    assertEquals(1, results(kernel, band, true));
  }

  static Stream<Arguments> named() {
    return kernels().map(kernel -> Arguments.argumentSet(kernel.name(), kernel));
  }

  /** Each block of keys has the tiles of queries that see it in its list. */
  @ParameterizedTest
  @MethodSource("named")
  void aFixedOrderOfListedBlocksGivesTheSameBits(AttentionBackwardKernel kernel) {
    var mask = Modification.NONE.and((b, h, q, k) -> k.dividedBy(100).equalTo(q.dividedBy(50)).or(k.lessThan(150)));
    var listed = AttentionProblem.dense(ElementType.BF16, SIZES).with(mask).skipping();
    var rule = ScoreRule.mask((b, h, q, k) -> k / 100 == q / 50 || k < 150);
    assertEquals(1, results(kernel, new AttentionCases.Setup("lists", listed, (_, _, _) -> rule), true));
  }

  /** The control of the test above: its schedules do change the order of additions. */
  @ParameterizedTest
  @MethodSource("named")
  void withoutAFixedOrderTheBitsDependOnTheSchedule(AttentionBackwardKernel kernel) {
    assertNotEquals(1, results(kernel, Band.ALL, false));
  }

  /**
   * The number of different dK, dV and accumulators of dQ that some schedules give, where four CTAs add to the same
   * tiles. dQ itself would hide most differences: it is rounded to 16 bits.
   */
  private static long results(AttentionBackwardKernel kernel, Band band, boolean deterministic) {
    return results(kernel, AttentionCases.band(ElementType.BF16, SIZES, band), deterministic);
  }

  private static long results(AttentionBackwardKernel kernel, AttentionCases.Setup forward, boolean deterministic) {
    var setup = AttentionBackwardCases.setup(forward, deterministic);
    var sequence = kernel.prepare(setup.problem());
    var prepared = Buffers.withWorkspace(sequence, AttentionBackwardCases.buffers(kernel, setup, SEED));
    var preprocess = sequence.launches().getFirst().on(prepared);
    Simulator.load(preprocess.ptx()).run(preprocess, SimulatorOptions.defaults());
    var gradients = CooperativeLaunch.of(sequence.launches().get(1));
    var program = Simulator.load(gradients.kernel().ptx());
    return LongStream.range(0, SCHEDULES).mapToObj(seed -> {
      var buffers = prepared.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
          e -> MemorySegment.ofArray(e.getValue().toArray(ValueLayout.JAVA_BYTE))));
      program.run(gradients.on(buffers), SimulatorOptions.defaults().withSeed(seed).withThreads(1));
      return Stream.of("dK", "dV", "dQaccum")
          .map(name -> ByteBuffer.wrap(buffers.get(name).toArray(ValueLayout.JAVA_BYTE))).toList();
    }).distinct().count();
  }
}
