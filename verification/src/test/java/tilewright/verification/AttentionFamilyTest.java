package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The other ways to attend. */
class AttentionFamilyTest {
  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of(AttentionVariantTest.WAYS);
  }
}
