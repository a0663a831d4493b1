package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What moves elements or counts them. */
class MovementFamilyTest {
  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of("mat_transpose", "rope", "embedding", "histogram", "nms");
  }
}
