package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.numerics.ElementType;

class ComparisonTest {

  @Test
  void equalResultsAreBitExactAndWithoutError() {
    var comparison = compare(new double[] {1, 2}, new double[] {1, 2}, new double[] {1, 2});
    assertTrue(comparison.bitExact() && comparison.violation().isEmpty());
    assertEquals(0, comparison.maxError());
  }

  @Test
  void errorsUpToOneAndAHalfTimesTheKernelsOwnPrecisionPass() {
    var stepwise = new double[] {1 + 0x1p-10, 2};
    assertTrue(compare(new double[] {1 - 0x1.7p-10, 2}, new double[] {1, 2}, stepwise).violation().isEmpty());
    var worse = compare(new double[] {1 - 0x1.9p-10, 2}, new double[] {1, 2}, stepwise);
    assertTrue(worse.violation().orElseThrow().contains("element 0"));
    assertEquals(0x1.9p-10, worse.maxError());
    assertEquals(0x1.9p-11, worse.meanError());
  }

  @Test
  void oneUnitInTheLastPlaceOfTheOutputPasses() {
    var exact = new double[] {1};
    assertTrue(compare(new double[] {1 + 0x1p-23}, exact, exact).violation().isEmpty());
    assertTrue(compare(new double[] {1 + 0x1.8p-22}, exact, exact).violation().isPresent());
  }

  @Test
  void notANumberThatTheReferenceLacksFails() {
    var one = new double[] {1};
    var nan = new double[] {Double.NaN};
    assertTrue(compare(nan, one, one).violation().isPresent());
    assertTrue(compare(new double[] {Double.POSITIVE_INFINITY}, one, one).violation().isPresent());
    assertTrue(compare(nan, nan, nan).violation().isEmpty());
    assertTrue(compare(one, nan, nan).violation().isPresent());
  }

  @Test
  void aNegativeZeroIsNotBitExactToAPositiveOne() {
    assertFalse(compare(new double[] {-0.0}, new double[] {0}, new double[] {0}).bitExact());
  }

  @Test
  void elementsThatAreNotAskedForDoNotCount() {
    var reference = new double[] {1, 2};
    var comparison = Comparison.of(new double[] {1, 99}, reference, reference, ElementType.F32, new int[] {0});
    assertTrue(comparison.violation().isEmpty());
  }

  private static Comparison compare(double[] ours, double[] exact, double[] stepwise) {
    return Comparison.of(ours, exact, stepwise, ElementType.F32, IntStream.range(0, ours.length).toArray());
  }
}
