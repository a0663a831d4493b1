package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.sm100.attention.backward.Sm100AttentionBackwardKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;

/** The gradients of Blackwell attention on the simulator. */
class Sm100AttentionBackwardTest {
  private static final AttentionBackwardKernel KERNEL = new Sm100AttentionBackwardKernel();
  private static final long SEED = 12;

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
}
