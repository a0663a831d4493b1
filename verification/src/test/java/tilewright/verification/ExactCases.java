package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;

/** Cases on the simulator, each clean and with the very bits of its reference. */
final class ExactCases {
  private ExactCases() {}

  static Stream<DynamicTest> of(List<Case> cases) {
    return cases.stream().map(c -> DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
      var row = Verification.verify(c, new SimulatorBackend(6));
      assertEquals(Row.Status.PASS, row.status(), row.reason());
      assertEquals(Optional.of(true), row.bitExact(), "other bits than the reference's");
    }));
  }
}
