package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every case of the narrow formats: clean, within the error rule, and bit for bit what tensor cores add up. */
class NarrowCasesTest {

  @TestFactory
  Stream<DynamicTest> everyCaseIsCleanAndHasTheModelsBits() {
    return Stream.concat(NarrowCases.products(5).stream(), NarrowCases.quantizers(5).stream()).map(c ->
        DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
          var row = Verification.verify(c, new SimulatorBackend(6));
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertEquals(Optional.of(true), row.bitExact(), "other bits than the reference's");
        }));
  }
}
