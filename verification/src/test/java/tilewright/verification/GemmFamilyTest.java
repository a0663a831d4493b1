package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Matrix products of the catalogue. */
class GemmFamilyTest {
  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of("sgemm", "hgemm", "tf32_gemm", "mma_gemm");
  }
}
