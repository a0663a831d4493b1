package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a definition cancels in FP64, beside values worked out with 120 digits. */
class PointwiseReferenceTest {
  private static final double RELATIVE = 1e-12;

  @ParameterizedTest
  @CsvSource({
      "-1, -0.1588080093917233", "-3, -0.0036373920817730188", "-6, -8.4396467007622971e-11",
      "-10, -1.204092348209806e-37"})
  void geluByTheHyperbolicTangentKeepsWhatIsTiny(double x, double y) {
    assertEquals(y, PointwiseReference.GELU_TANH.exact(x), -y * RELATIVE);
  }

  @ParameterizedTest
  @CsvSource({
      "-1, -0.15865525393145705", "-3, -0.0040496940948902836", "-6, -5.9195258702261888e-9",
      "-10, -7.6198530241605261e-23"})
  void geluByTheErrorFunctionKeepsWhatIsTiny(double x, double y) {
    assertEquals(y, PointwiseReference.GELU_ERF.exact(x), -y * RELATIVE);
  }
}
