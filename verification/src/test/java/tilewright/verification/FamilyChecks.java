package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import tilewright.sm90.rows.HopperFamilies;

/** Families in the simulator, sanitizer on: one variant on all awkward extents and NaNs, the others on the last. */
final class FamilyChecks {
  private FamilyChecks() {}

  static Stream<DynamicTest> of(String... families) {
    return Arrays.stream(families).map(name -> HopperFamilies.named(name).orElseThrow())
        .flatMap(f -> FamilyCases.of(f, 20).stream()).filter(Case::quick)
        .map(c -> DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
          var row = Verification.verify(c, new SimulatorBackend(3));
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertEquals(0, row.findings());
        }));
  }
}
