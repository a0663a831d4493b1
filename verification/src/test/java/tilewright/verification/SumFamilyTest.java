package tilewright.verification;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Reductions. */
class SumFamilyTest {
  static final List<String> NAMES = List.of("sum", "dot", "row_sum", "row_max", "row_min", "byte_sum");

  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of(NAMES);
  }
}
