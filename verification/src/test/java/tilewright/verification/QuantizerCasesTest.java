package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.verification.cases.NarrowCases;

/** Every format that is quantized by a kernel: clean, and the bits that the host makes. */
class QuantizerCasesTest {

  @TestFactory
  Stream<DynamicTest> everyQuantizerIsCleanAndHasTheBitsOfTheHost() {
    return ExactCases.of(NarrowCases.quantizers(5));
  }
}
