package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/** The gradients of SM80 attention on the simulator. */
class AttentionBackwardTest {
  private static final AttentionBackwardKernel KERNEL = new Sm80AttentionBackwardKernel();
  private static final long SEED = 11;
  private static final int SCHEDULES = 3;

  static Stream<AttentionBackwardCases.Setup> setups() {
    return AttentionBackwardCases.small().stream().filter(s -> KERNEL.refusal(s.problem()).isEmpty());
  }

  @ParameterizedTest
  @MethodSource("setups")
  void gradientsAreWithinTheErrorRuleAndTheSanitizerIsSilent(AttentionBackwardCases.Setup setup) {
    var made = AttentionBackwardCases.makeCase(KERNEL, setup, SEED);
    var row = Verification.verify(made, new SimulatorBackend(SEED));
    assertEquals("", row.reason());
    assertEquals(Row.Status.PASS, row.status());
  }

  /** Blocks of several CTAs that run at a time add to the same tiles. */
  static Stream<Band> bands() {
    return Stream.of(Band.ALL, Band.CAUSAL, Band.window(100, 30));
  }

  @ParameterizedTest
  @MethodSource("bands")
  void aFixedOrderGivesTheSameBitsUnderEverySchedule(Band band) {
    var forward = AttentionCases.band(ElementType.BF16, new Sizes(1, 140, 400, 2, 1, 32, 32), band);
    var expected = gradients(AttentionBackwardCases.setup(forward, true), 0);
    for (int schedule = 1; schedule < SCHEDULES; schedule++) {
      var actual = gradients(AttentionBackwardCases.setup(forward, true), schedule);
      for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i));
    }
  }

  private static List<byte[]> gradients(AttentionBackwardCases.Setup setup, int schedule) {
    var sequence = KERNEL.prepare(setup.problem());
    var buffers = Buffers.withWorkspace(sequence, AttentionBackwardCases.buffers(setup, SEED));
    sequence.on(buffers).forEach(launch -> assertEquals(List.of(), new SimulatorBackend(schedule).run(launch)
        .findings()));
    return Stream.of("dQ", "dK", "dV").map(name -> buffers.get(name).toArray(ValueLayout.JAVA_BYTE)).toList();
  }
}
