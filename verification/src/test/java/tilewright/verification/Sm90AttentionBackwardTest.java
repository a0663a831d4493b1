package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionBackwardCases.Setup;
import tilewright.verification.cases.AttentionBackwardCheck;

/** Hopper's gradients of attention beside the reference. */
class Sm90AttentionBackwardTest {
  private static final Sm90AttentionBackwardKernel KERNEL = new Sm90AttentionBackwardKernel();
  private static final long SEED = 17;

  static Stream<Setup> small() {
    return AttentionBackwardCases.small().stream().filter(s -> KERNEL.refusal(s.problem()).isEmpty());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("small")
  void gradientsAreTheReferences(Setup setup) {
    var in = AttentionBackwardCases.buffers(setup, SEED);
    for (var launch : KERNEL.prepare(setup.problem()).on(in)) {
      assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings(), launch.entry());
    }
    AttentionBackwardCheck.compare(setup.problem(), setup.forward().rules(), in, in).violation()
        .ifPresent(violation -> fail(violation + " (seed " + SEED + ")"));
  }
}
