package tilewright.verification;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Element-wise functions. */
class ElementwiseFamilyTest {
  static final List<String> NAMES = List.of("add", "relu", "sigmoid", "elu", "gelu_erf", "gelu_tanh",
      "swish", "swiglu", "hardswish", "hardshrink", "adamw");

  @TestFactory
  Stream<DynamicTest> everyVariantAgreesWithTheReferenceAndIsClean() {
    return FamilyChecks.of(NAMES);
  }
}
