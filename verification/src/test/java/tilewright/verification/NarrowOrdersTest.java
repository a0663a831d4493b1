package tilewright.verification;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.verification.cases.NarrowCases;

/** Narrow elements in every operand order: clean, and bit for bit what tensor cores add up. */
class NarrowOrdersTest {

  @TestFactory
  Stream<DynamicTest> everyOrderIsCleanAndHasTheModelsBits() {
    return ExactCases.of(NarrowCases.orders(5));
  }
}
