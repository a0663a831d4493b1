package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every case of the narrow formats: clean, within the error rule, and exact where any order of the sum is. */
class NarrowCasesTest {

  @TestFactory
  Stream<DynamicTest> everyCaseIsCleanAndExactWhereSumsAre() {
    return Stream.concat(NarrowCases.products(5).stream(), NarrowCases.quantizers(5).stream()).map(c ->
        DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
          var row = Verification.verify(c, new SimulatorBackend(6));
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertTrue(row.bitExact().orElse(true), "other bits than the exact sums'");
        }));
  }
}
