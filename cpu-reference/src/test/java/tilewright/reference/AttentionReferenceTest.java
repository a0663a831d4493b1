package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class AttentionReferenceTest {

  @Test
  void twoKeysAreMixedByTheirExponentials() {
    var q = tensor("(1,1,1,2):(2,2,2,1)", 1, 0);
    var k = tensor("(1,2,1,2):(4,2,2,1)", 3, 9, 1, -9);
    var v = tensor("(1,2,1,3):(6,3,3,1)", 10, 20, 30, 50, 60, 70);
    var result = new AttentionReference(q, k, v, 0.5, ScoreRule.NONE).exact();
    double a = Math.exp(1.5);
    double b = Math.exp(0.5);
    assertEquals(Math.log(a + b), result.lse()[0], 1e-14);
    assertArrayEquals(new double[] {(10 * a + 50 * b) / (a + b), (20 * a + 60 * b) / (a + b),
        (30 * a + 70 * b) / (a + b)}, result.o(), 1e-12);
  }

  @Test
  void valuesThatAreUnitVectorsShowTheWeightsAndMasksZeroThem() {
    int sq = 3;
    int sk = 5;
    var q = normal("(2,3,4,8):(96,32,8,1)", 1);
    var k = normal("(2,5,2,8):(80,16,8,1)", 2);
    var v = unitVectors(2, sk, 2);
    var rule = ScoreRule.window(sq, sk, 1, 0);
    var o = new AttentionReference(q, k, v, 0.3, rule).exact().o();
    for (int row = 0; row < 24; row++) {
      int b = row % 2;
      int query = row / 2 % sq;
      int h = row / 6;
      double[] e = new double[sk];
      for (int key = 0; key < sk; key++) {
        double dot = 0;
        for (int d = 0; d < 8; d++) dot += q.value(row + 24L * d) * k.value(b + 2L * (key + 5 * (h / 2)) + 20L * d);
        boolean seen = key == query + 2 || key == query + 1;
        e[key] = seen ? Math.exp(0.3 * dot) : 0;
      }
      double sum = Arrays.stream(e).sum();
      for (int key = 0; key < sk; key++) assertEquals(e[key] / sum, o[row + 24 * key], 1e-13);
    }
  }

  /** By the definition: e^sink is added to the denominator, and nothing to the numerator. */
  @Test
  void aSinkIsAddedToTheDenominatorOfItsHeadsRows() {
    var q = normal("(1,2,3,4):(24,12,4,1)", 1);
    var k = normal("(1,2,1,4):(8,4,4,1)", 2);
    var v = normal("(1,2,1,5):(10,5,5,1)", 3);
    var rule = ScoreRule.window(2, 2, 0, 0);
    var plain = new AttentionReference(q, k, v, 0.7, rule).exact();
    double[] sinks = {-1, Double.NEGATIVE_INFINITY, 800};
    var with = new AttentionReference(q, k, v, 0.7, rule, Optional.empty(), Optional.of(tensor("3:1", sinks)));
    assertSinks(sinks, plain, with.exact(), 1e-12);
    assertSinks(sinks, plain, with.stepwise(), 1e-2);
  }

  private static void assertSinks(double[] sinks, AttentionReference.Result plain, AttentionReference.Result with,
      double tolerance) {
    for (int row = 0; row < 6; row++) {
      double sink = sinks[row / 2];
      double largest = Math.max(sink, plain.lse()[row]);
      double lse = largest + Math.log(Math.exp(sink - largest) + Math.exp(plain.lse()[row] - largest));
      assertEquals(lse, with.lse()[row], tolerance * Math.max(1, Math.abs(lse)));
      assertEquals(Math.max(sink, plain.maxima()[row]), with.maxima()[row], tolerance);
      for (int d = 0; d < 5; d++) {
        assertEquals(plain.o()[row + 6 * d] * Math.exp(plain.lse()[row] - lse), with.o()[row + 6 * d], tolerance);
      }
    }
  }

  @Test
  void aQueryThatSeesNothingButASinkHasItsLogit() {
    var q = normal("(1,3,1,4):(12,4,4,1)", 1);
    var k = normal("(1,1,1,4):(4,4,4,1)", 2);
    var result = new AttentionReference(q, k, k, 1, ScoreRule.causal(3, 1), Optional.empty(),
        Optional.of(tensor("1:1", -2.5))).exact();
    assertEquals(-2.5, result.lse()[0]);
    for (int d = 0; d < 4; d++) assertEquals(0, result.o()[3 * d]);
  }

  @Test
  void aQueryThatSeesNothingGivesZeroAndMinusInfinity() {
    var q = normal("(1,3,1,4):(12,4,4,1)", 1);
    var k = normal("(1,1,1,4):(4,4,4,1)", 2);
    var reference = new AttentionReference(q, k, k, 1, ScoreRule.causal(3, 1));
    for (var result : new AttentionReference.Result[] {reference.exact(), reference.stepwise()}) {
      assertEquals(Double.NEGATIVE_INFINITY, result.lse()[0]);
      assertEquals(Double.NEGATIVE_INFINITY, result.lse()[1]);
      assertTrue(Double.isFinite(result.lse()[2]));
      // One key: its score is the largest, and the logarithm of its exponential.
      for (int row = 0; row < 3; row++) assertEquals(result.lse()[row], result.maxima()[row], 1e-6);
      for (int d = 0; d < 4; d++) assertEquals(0, result.o()[3 * d]);
      for (int d = 0; d < 4; d++) assertEquals(k.value(d), result.o()[2 + 3 * d]);
    }
  }

  @Test
  void stepsInLowPrecisionStayNearTheExactResultButAreNotIt() {
    var q = normal("(1,7,2,16):(224,32,16,1)", 1);
    var k = normal("(1,33,2,16):(1056,32,16,1)", 2);
    var v = normal("(1,33,2,16):(1056,32,16,1)", 3);
    var reference = new AttentionReference(q, k, v, 0.25, ScoreRule.softcap(2));
    var exact = reference.exact();
    var steps = reference.stepwise();
    double worst = 0;
    for (int i = 0; i < exact.o().length; i++) worst = Math.max(worst, Math.abs(exact.o()[i] - steps.o()[i]));
    assertTrue(worst > 0 && worst < 0x1p-7, "error " + worst);
    assertArrayEquals(exact.lse(), steps.lse(), 1e-5);
  }

  @Test
  void shapesThatDoNotFitAreNamed() {
    var q = normal("(1,3,3,4):(36,12,4,1)", 1);
    var k = normal("(1,5,2,4):(40,8,4,1)", 2);
    var error = assertThrows(IllegalArgumentException.class,
        () -> new AttentionReference(q, k, k, 1, ScoreRule.NONE));
    assertTrue(error.getMessage().contains("3 and 2"), error.getMessage());
  }

  static TensorView normal(String layout, long seed) {
    var view = empty(ElementType.BF16, layout);
    Inputs.normal(view, seed);
    return view;
  }

  private static TensorView tensor(String layout, double... inMemoryOrder) {
    var view = empty(ElementType.F64, layout);
    for (int i = 0; i < inMemoryOrder.length; i++) {
      new TensorView(ElementType.F64, view.data(), Layout.of(inMemoryOrder.length, 1)).set(i, inMemoryOrder[i]);
    }
    return view;
  }

  private static TensorView unitVectors(int batches, int keys, int heads) {
    var view = empty(ElementType.F64, "(%d,%d,%d,%d)".formatted(batches, keys, heads, keys));
    for (int i = 0; i < view.size(); i++) view.set(i, i / batches % keys == i / (batches * keys * heads) ? 1 : 0);
    return view;
  }

  static TensorView empty(ElementType type, String layout) {
    var parsed = Layout.parse(layout);
    return new TensorView(type, MemorySegment.ofArray(new byte[(int) parsed.cosize() * type.bytes()]), parsed);
  }
}
