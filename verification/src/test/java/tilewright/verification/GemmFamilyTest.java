package tilewright.verification;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Matrix products of the catalogue. */
class GemmFamilyTest {
  static final List<String> NAMES = List.of("sgemm", "hgemm", "tf32_gemm", "mma_gemm", "wmma_gemm");

  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of(NAMES);
  }
}
