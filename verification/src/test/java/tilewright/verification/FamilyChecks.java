package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import tilewright.kernels.registry.Family;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.FamilyCases;

/** Families in the simulator, sanitizer on: one variant on all awkward extents and NaNs, the others on the last. */
final class FamilyChecks {
  private FamilyChecks() {}

  static Stream<DynamicTest> of(List<String> families) {
    return of(families.stream().map(name -> RegisteredFamilies.named(name)));
  }

  /** Families that no other test names: a new family is among these until it has a place. */
  static Stream<DynamicTest> others() {
    var named = Stream.of(ElementwiseFamilyTest.NAMES, SumFamilyTest.NAMES, RowFamilyTest.NAMES, GemmFamilyTest.NAMES,
        AttentionVariantTest.WAYS).flatMap(List::stream).collect(Collectors.toSet());
    return of(RegisteredFamilies.all().stream().filter(family -> !named.contains(family.name())));
  }

  private static Stream<DynamicTest> of(Stream<Family> families) {
    return families
        .flatMap(f -> FamilyCases.sample(f, 20).stream())
        .map(c -> DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
          var row = Verification.verify(c, new SimulatorBackend(3));
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertEquals(0, row.findings());
        }));
  }
}
