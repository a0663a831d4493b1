package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.numerics.ElementType;

class AttentionGradientTest {
  @Test
  void oneQueryOnTwoKeysIsAsByHand() {
    // P = (1/4, 3/4), O = 7, D = 14, dP = (8, 16), dS = (−3/2, 3/2)
    double log3 = Math.log(3);
    var gradient = gradient(0.5, ElementType.F64, new double[] {2}, new double[] {0, log3}, new double[] {4, 8}, 2)
        .exact();
    assertArrayEquals(new double[] {0.75 * log3}, gradient.dq(), 1e-14);
    assertArrayEquals(new double[] {-1.5, 1.5}, gradient.dk(), 1e-14);
    assertArrayEquals(new double[] {0.5, 1.5}, gradient.dv(), 1e-14);
  }

  /** Softmax forgets what is added to all scores, and dS what is added to all of V. */
  @Test
  void largeMeansOfKeysAndValuesChangeOnlyRounding() {
    var q = normal("(2,5,4,3):(60,12,3,1)", 1);
    var k = normal("(2,7,2,3):(42,6,3,1)", 2);
    var v = normal("(2,7,2,6):(84,12,6,1)", 3);
    var dO = normal("(2,5,4,6):(120,24,6,1)", 4);
    var rule = ScoreRule.causal(5, 7);
    var near = new AttentionGradient(new AttentionReference(q, k, v, 0.5, rule), dO).exact();
    var far = new AttentionGradient(new AttentionReference(q, plus(k, 1e5), plus(v, 1e6), 0.5, rule), dO).exact();
    // Scores of about 1e6 leave 1e-10 of FP64's digits, values of 1e6 as much of dP − D.
    assertArrayEquals(near.dk(), far.dk(), 1e-7);
    assertArrayEquals(near.dv(), far.dv(), 1e-7);
    // dQ sums differences of dS, whose rows add up to 1e-10 instead of 0, times 1e5.
    assertArrayEquals(near.dq(), far.dq(), 1e-3);
  }

  /** Keys that are unit vectors make dQ the rows of dS. */
  @Test
  void rowsOfTheScoresGradientAddUpToZero() {
    for (var rule : List.of(ScoreRule.NONE, ScoreRule.causal(4, 5), ScoreRule.window(4, 5, 1, 1))) {
      var q = normal("(1,4,2,5):(40,10,5,1)", 1);
      var k = AttentionReferenceTest.empty(ElementType.F64, "(1,5,1,5):(25,5,5,1)");
      for (int i = 0; i < 5; i++) k.set(6 * i, 1);
      var v = normal("(1,5,1,3):(15,3,3,1)", 2);
      var dO = normal("(1,4,2,3):(24,6,3,1)", 3);
      var dq = new AttentionGradient(new AttentionReference(q, k, v, 1, rule), dO).exact().dq();
      double largest = 0;
      for (int row = 0; row < 8; row++) {
        double sum = 0;
        for (int key = 0; key < 5; key++) {
          double dS = dq[row + 8 * key];
          if (!rule.visible(0, row / 4, row % 4, key)) assertEquals(0, dS);
          largest = Math.max(largest, Math.abs(dS));
          sum += dS;
        }
        assertEquals(0, sum, 1e-15);
      }
      assertTrue(largest > 0.1, "largest " + largest);
    }
  }

  @Test
  void gradientsAreLinearInThatOfTheOutput() {
    var forward = new AttentionReference(normal("(2,4,4,3):(48,12,3,1)", 1), normal("(2,3,2,3):(18,6,3,1)", 2),
        normal("(2,3,2,5):(30,10,5,1)", 3), 0.6, ScoreRule.softcap(1));
    var x = normal("(2,4,4,5):(80,20,5,1)", 4);
    var y = normal("(2,4,4,5):(80,20,5,1)", 5);
    var both = AttentionReferenceTest.empty(ElementType.F64, "(2,4,4,5):(80,20,5,1)");
    for (int i = 0; i < both.size(); i++) both.set(i, 3 * x.value(i) - y.value(i));
    var first = new AttentionGradient(forward, x).exact();
    var second = new AttentionGradient(forward, y).exact();
    var sum = new AttentionGradient(forward, both).exact();
    assertCombined(first.dq(), second.dq(), sum.dq());
    assertCombined(first.dk(), second.dk(), sum.dk());
    assertCombined(first.dv(), second.dv(), sum.dv());
  }

  private static void assertCombined(double[] x, double[] y, double[] sum) {
    for (int i = 0; i < sum.length; i++) assertEquals(3 * x[i] - y[i], sum[i], 1e-13);
  }

  @Test
  void whatNoQuerySeesHasNoGradientAndGivesNone() {
    var q = normal("(1,3,1,2):(6,2,2,1)", 1);
    var k = normal("(1,4,1,2):(8,2,2,1)", 2);
    var v = normal("(1,4,1,2):(8,2,2,1)", 3);
    var dO = normal("(1,3,1,2):(6,2,2,1)", 4);
    var rule = ScoreRule.mask((b, h, query, key) -> query != 1 && key != 2);
    var clean = new AttentionGradient(new AttentionReference(q, k, v, 1, rule), dO);
    var expected = List.of(clean.exact(), clean.stepwise());
    for (int d = 0; d < 2; d++) {
      q.set(1 + 3 * d, Double.NaN);
      dO.set(1 + 3 * d, Double.POSITIVE_INFINITY);
      k.set(2 + 4 * d, Double.NaN);
      v.set(2 + 4 * d, Double.NEGATIVE_INFINITY);
    }
    var spoilt = new AttentionGradient(new AttentionReference(q, k, v, 1, rule), dO);
    var actual = List.of(spoilt.exact(), spoilt.stepwise());
    for (int i = 0; i < 2; i++) {
      assertArrayEquals(expected.get(i).dq(), actual.get(i).dq());
      assertArrayEquals(expected.get(i).dk(), actual.get(i).dk());
      assertArrayEquals(expected.get(i).dv(), actual.get(i).dv());
      for (int d = 0; d < 2; d++) {
        assertEquals(0, actual.get(i).dq()[1 + 3 * d]);
        assertEquals(0, actual.get(i).dk()[2 + 4 * d]);
        assertEquals(0, actual.get(i).dv()[2 + 4 * d]);
      }
    }
  }

  @Test
  void zeroLengthsGiveZeroGradientsOrNone() {
    for (var sizes : List.of(List.of(0, 2, 3, 2), List.of(2, 0, 3, 2), List.of(2, 2, 0, 2), List.of(2, 2, 3, 0))) {
      int heads = sizes.get(3);
      var query = "(" + sizes.get(0) + "," + sizes.get(1) + "," + 2 * heads + ",";
      var key = "(" + sizes.get(0) + "," + sizes.get(2) + "," + heads + ",";
      var forward = new AttentionReference(normal(query + "4)", 1), normal(key + "4)", 2), normal(key + "5)", 3), 1,
          ScoreRule.causal(sizes.get(1), sizes.get(2)));
      var gradient = new AttentionGradient(forward, normal(query + "5)", 4));
      for (var result : List.of(gradient.exact(), gradient.stepwise())) {
        assertArrayEquals(new double[(int) forward.q().size()], result.dq());
        assertArrayEquals(new double[(int) forward.k().size()], result.dk());
        assertArrayEquals(new double[(int) forward.v().size()], result.dv());
      }
    }
  }

  /** With P = 1/3 everywhere: 256/3 + 1/3 in FP64, and bf16(1/3) = 171/512 times 257 rounded to a multiple of 1/2. */
  @Test
  void probabilitiesAndScoresGradientsAreRoundedBeforeTheGemmsThatReadThem() {
    var queries = new double[] {256, 1};
    var keys = new double[] {256, 1, 0};
    // dV sums P times (256, 1).
    assertSteps(gradient(1, ElementType.BF16, new double[2], new double[3], new double[] {1, 1, 1}, queries), 2, 257,
        86);
    // dP = (0, 0, 3) and D = 1, so dS = (−1/3, −1/3, 2/3), and dQ sums it times (256, 1, 0).
    assertSteps(gradient(1, ElementType.BF16, new double[1], keys, new double[] {0, 0, 3}, 1), 0, -257, -86);
    // dK sums −1/3 times (256, 1).
    assertSteps(gradient(1, ElementType.BF16, queries, new double[3], new double[] {0, 0, 3}, 1, 1), 1, -257, -86);
  }

  private static void assertSteps(AttentionGradient gradient, int tensor, int thirds, double steps) {
    assertEquals(thirds / 3.0, tensors(gradient.exact()).get(tensor)[0], 1e-12);
    assertEquals(steps, tensors(gradient.stepwise()).get(tensor)[0]);
  }

  @Test
  void stepsInLowPrecisionStayNearTheExactGradientsButAreNotThey() {
    for (var type : List.of(ElementType.BF16, ElementType.F16)) {
      var forward = new AttentionReference(normal(type, "(1,9,4,16):(576,64,16,1)", 1),
          normal(type, "(1,33,2,16):(1056,32,16,1)", 2), normal(type, "(1,33,2,24):(1584,48,24,1)", 3), 0.25,
          ScoreRule.causal(9, 33).and(ScoreRule.softcap(2)));
      var gradient = new AttentionGradient(forward, normal(type, "(1,9,4,24):(864,96,24,1)", 4));
      for (int t = 0; t < 3; t++) {
        var exact = tensors(gradient.exact()).get(t);
        var steps = tensors(gradient.stepwise()).get(t);
        double largest = Arrays.stream(exact).map(Math::abs).max().getAsDouble();
        double worst = 0;
        for (int i = 0; i < exact.length; i++) {
          assertEquals(type.round(steps[i]), steps[i]);
          worst = Math.max(worst, Math.abs(exact[i] - steps[i]));
        }
        assertTrue(worst > 0 && worst < type.ulp(largest), type + " tensor " + t + " error " + worst);
      }
    }
  }

  @Test
  void gradientsOfOtherShapesAreNamed() {
    var q = normal("(1,3,2,4):(24,8,4,1)", 1);
    var k = normal("(1,5,2,4):(40,8,4,1)", 2);
    var forward = new AttentionReference(q, k, k, 1, ScoreRule.NONE);
    var error = assertThrows(IllegalArgumentException.class, () -> new AttentionGradient(forward, k));
    assertTrue(error.getMessage().contains("mode 1: 5 and 3"), error.getMessage());
  }

  private static List<double[]> tensors(AttentionGradient.Result result) {
    return List.of(result.dq(), result.dk(), result.dv());
  }

  /** One head of dimension 1. */
  private static AttentionGradient gradient(double scale, ElementType type, double[] q, double[] k, double[] v,
      double... dO) {
    return new AttentionGradient(
        new AttentionReference(column(type, q), column(type, k), column(type, v), scale, ScoreRule.NONE),
        column(type, dO));
  }

  private static TensorView column(ElementType type, double[] values) {
    var view = AttentionReferenceTest.empty(type, "(1,%d,1,1)".formatted(values.length));
    for (int i = 0; i < values.length; i++) view.set(i, values[i]);
    return view;
  }

  private static TensorView plus(TensorView view, double summand) {
    var sum = AttentionReferenceTest.empty(ElementType.F64, view.layout().toString());
    for (int i = 0; i < view.size(); i++) sum.set(i, view.value(i) + summand);
    return sum;
  }

  private static TensorView normal(String layout, long seed) {
    return normal(ElementType.F64, layout, seed);
  }

  private static TensorView normal(ElementType type, String layout, long seed) {
    var view = AttentionReferenceTest.empty(type, layout);
    Inputs.normal(view, seed);
    return view;
  }
}
