package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.verification.cases.NarrowCases;

/** Products of every mix of narrow elements: clean, and bit for bit what tensor cores add up. */
class NarrowMixesTest {

  @TestFactory
  Stream<DynamicTest> everyMixIsCleanAndHasTheModelsBits() {
    return ExactCases.of(NarrowCases.mixes(5));
  }
}
