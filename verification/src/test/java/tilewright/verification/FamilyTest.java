package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernels.catalogue.Families;

/** Every variant of every family in the simulator, sanitizer on, on its last awkward extents, the first on all. */
class FamilyTest {
  private static final AssemblyCheck ASSEMBLY = new AssemblyCheck();

  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return Families.all().stream().flatMap(f -> FamilyCases.of(f, 20).stream().filter(Case::quick)).map(c ->
        DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
          var row = Verification.verify(c, new SimulatorBackend(3), ASSEMBLY);
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertEquals(0, row.findings());
        }));
  }
}
