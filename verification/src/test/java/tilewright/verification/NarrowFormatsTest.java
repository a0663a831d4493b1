package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.verification.cases.NarrowCases;

/** Products of the narrow formats that have names: clean, and bit for bit what tensor cores add up. */
class NarrowFormatsTest {

  @TestFactory
  Stream<DynamicTest> everyFormatIsCleanAndHasTheModelsBits() {
    return ExactCases.of(NarrowCases.formats(5));
  }
}
