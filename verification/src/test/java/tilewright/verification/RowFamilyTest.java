package tilewright.verification;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Functions of rows. */
class RowFamilyTest {
  static final List<String> NAMES = List.of("softmax", "grid_softmax", "layer_norm", "rms_norm", "gemv",
      "cross_entropy");

  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of(NAMES);
  }
}
