package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tilewright.reference.AttentionFactors.TensorCores.FP32;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** Attention of 8-bit codes with their factors, beside closed forms and the attention of the numbers they stand for. */
class AttentionFactorsTest {
  private static final AttentionFactors.Blocks ONE = shared(1);

  @Test
  void oneKeyGivesItsValuesTimesTheirFactor() {
    var q = codes("(1,1,1,2)", 3, 0.5);
    var k = codes("(1,1,1,2)", -2, 8);
    var v = codes("(1,1,1,3)", 1.125, -448, 0x1p-9);
    var factors = new AttentionFactors(shared(0.5), shared(0.75), shared(3), ElementType.F32);
    var attention = attention(q, k, v, 0.25, ScoreRule.NONE, factors);
    for (var result : List.of(attention.exact(), attention.stepwise())) {
      assertArrayEquals(new double[] {3.375, -1344, 3 * 0x1p-9}, result.o());
      assertArrayEquals(new double[] {0.25 * 0.5 * 0.75 * -2}, result.lse());
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 128", "7, 2", "300, 128", "256, 128", "129, 64"})
  void equalKeysGiveTheMeanOfTheValues(int keys, int tile) {
    var q = codes("(1,1,1,1)", 2);
    var k = empty("(1,%d,1,1)".formatted(keys));
    var v = empty("(1,%d,1,2)".formatted(keys));
    double sum = 0;
    for (int key = 0; key < keys; key++) {
      k.set(key, 1.5);
      v.set(key, key % 16);
      v.set(key + keys, -4);
      sum += key % 16;
    }
    var factors = new AttentionFactors(shared(2), ONE, shared(0.25), ElementType.E4M3, ElementType.F32, tile, FP32);
    var attention = attention(q, k, v, 1, ScoreRule.NONE, factors);
    for (var result : List.of(attention.exact(), attention.stepwise())) {
      assertEquals(0.25 * sum / keys, result.o()[0], 1e-6);
      assertEquals(-1, result.o()[1], 1e-6);
      assertEquals(6 + Math.log(keys), result.lse()[0], 1e-6);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"E4M3", "E5M2"})
  void probabilitiesAreRoundedAndTheirSumIsNot(ElementType probabilities) {
    var q = codes("(1,1,1,1)", 1);
    var k = codes("(1,3,1,1)", 0, -1, -6);
    var factors = new AttentionFactors(ONE, shared(0.7f), ONE, probabilities, ElementType.F32, 128, FP32);
    var o = attention(q, k, unitVectors(3), 1, ScoreRule.NONE, factors).stepwise().o();
    double factor = 0.7f;
    double sum = 1 + Math.exp(-factor) + Math.exp(-6 * factor);
    assertEquals(1 / sum, o[0], 1e-6);
    assertEquals(probabilities.round(256 * Math.exp(-factor)) / 256 / sum, o[1], 1e-6);
    assertEquals(probabilities.round(256 * Math.exp(-6 * factor)) / 256 / sum, o[2], 1e-6);
    assertTrue(Math.abs(o[1] - Math.exp(-factor) / sum) > 1e-4, "rounding shows");
  }

  @Test
  void probabilitiesOfASplitReferToItsOwnLargestScore() {
    requireTops(new AttentionFactors(ONE, ONE, ONE, ElementType.F32).split(3), 3, 3, 3, 1.25, 1.25);
  }

  @Test
  void probabilitiesOfATileReferToItsOwnLargestScore() {
    var factors = new AttentionFactors(ONE, ONE, ONE, ElementType.E4M3, ElementType.F32, 2, FP32);
    requireTops(factors, 3, 3, 0, 0, 1.25);
  }

  @Test
  void probabilitiesMayReferToTheLargestScoreSoFar() {
    var factors = new AttentionFactors(ONE, ONE, ONE, ElementType.E4M3, ElementType.F32, 2, FP32)
        .with(AttentionFactors.ReferenceScore.OF_ROW);
    requireTops(factors, 3, 3, 1.25, 1.25, 1.25);
  }

  /**
   * The first tile's one key has the highest score of 1.25: its P of 1 becomes 1/2. That of the last tile's first key
   * would be 2.88, more than 1.75: 1/8 of it is nearest to 1/2.
   */
  @Test
  void probabilitiesMayReferToTheTilesBefore() {
    double first = 1.25 + Math.log(2);
    double last = first + 3 * Math.log(2);
    double[] tops = {last, last, first, first, first};
    double[] scores = {3, 2.25, 0, -1.5, 1.25};
    var factors = new AttentionFactors(ONE, ONE, ONE, ElementType.E4M3, ElementType.F32, 2, FP32)
        .with(AttentionFactors.ReferenceScore.OF_TILES_BEFORE);
    var result = attention(codes("(1,1,1,1)", 1), codes("(1,5,1,1)", scores), unitVectors(5), 1, ScoreRule.NONE,
        factors).stepwise();
    var rounded = new double[5];
    for (int key = 0; key < 5; key++) {
      rounded[key] = ElementType.E4M3.round(256 * Math.exp(scores[key] - tops[key])) * Math.exp(tops[key]);
    }
    double sum = Arrays.stream(rounded).sum();
    for (int key = 0; key < 5; key++) assertEquals(rounded[key] / sum, result.o()[key], 1e-6, "key " + key);
    assertEquals(Math.log(Arrays.stream(scores).map(Math::exp).sum()), result.lse()[0], 1e-6);
  }

  /** Five keys, whose probabilities are rounded relative to the exponentials of these. */
  private static void requireTops(AttentionFactors factors, double... tops) {
    var q = codes("(1,1,1,1)", 1);
    var k = codes("(1,5,1,1)", 3, 2.25, 0, -1.5, 1.25);
    var result = attention(q, k, unitVectors(5), 1, ScoreRule.NONE, factors).stepwise();
    double sum = 0;
    for (int key = 0; key < 5; key++) sum += Math.exp(k.value(key));
    for (int key = 0; key < 5; key++) {
      double rounded = ElementType.E4M3.round(256 * Math.exp(k.value(key) - tops[key])) / 256;
      assertEquals(rounded * Math.exp(tops[key]) / sum, result.o()[key], 1e-6, "key " + key);
    }
    assertEquals(Math.log(sum), result.lse()[0], 1e-6);
  }

  @Test
  void aTileFarBelowTheLargestScoreIsRoundedInUnitsOfThat() {
    var k = codes("(1,2,1,1)", 0, 20);
    var factors = new AttentionFactors(ONE, ONE, ONE, ElementType.E4M3, ElementType.F32, 1, FP32);
    var o = attention(codes("(1,1,1,1)", 1), k, unitVectors(2), 1, ScoreRule.NONE, factors).stepwise().o();
    // 2⁸ · e⁻²⁰ · 2¹⁶ = 0.0346 has subnormal codes only.
    assertEquals(0.03515625 * 0x1p-24, o[0], 1e-15);
    assertEquals(1, o[1], 1e-7);
  }

  @ParameterizedTest(name = "factors of {0} queries, {1} keys and {2} values")
  @CsvSource({"64, 128, 128", "7, 3, 5", "2147483647, 2147483647, 2147483647", "1, 1, 1", "16, 2147483647, 8"})
  void exactResultsAreThoseOfTheNumbersThatCodesStandFor(int queries, int keys, int values) {
    int sq = 70;
    int sk = 141;
    var q = drawn("(2,%d,4,8)".formatted(sq), 1);
    var k = drawn("(2,%d,2,8)".formatted(sk), 2);
    var v = drawn("(2,%d,2,6)".formatted(sk), 3);
    var factors = new AttentionFactors(blocks(q, queries, 4), blocks(k, keys, 5), blocks(v, values, 6),
        ElementType.BF16);
    for (var rule : List.of(ScoreRule.NONE, ScoreRule.causal(sq, sk),
        ScoreRule.softcap(2).and(ScoreRule.window(sq, sk, 20, 3)))) {
      var attention = attention(q, k, v, 0.3, rule, factors);
      var expected = new AttentionReference(dequantized(q, factors.q()), dequantized(k, factors.k()),
          dequantized(v, factors.v()), 0.3, rule).exact();
      var exact = attention.exact();
      assertArrayEquals(expected.o(), exact.o(), 1e-12);
      assertArrayEquals(expected.lse(), exact.lse(), 1e-12);
      var steps = attention.stepwise();
      assertArrayEquals(expected.lse(), steps.lse(), 1e-4);
      double worst = 0;
      for (int i = 0; i < steps.o().length; i++) worst = Math.max(worst, Math.abs(steps.o()[i] - exact.o()[i]));
      assertTrue(worst > 1e-3 && worst < 0.5, "error " + worst);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SM90", "SM100"})
  void scoresAreTheSumsOfTensorCores(AttentionFactors.TensorCores tensorCores) {
    int queries = 40;
    var q = drawn("(1,%d,1,80)".formatted(queries), 1);
    var k = drawn("(1,1,1,80)", 2);
    var factors = new AttentionFactors(shared(0.5), shared(0.75), ONE, ElementType.E4M3, ElementType.F32, 128,
        tensorCores);
    var c = AttentionReferenceTest.empty(ElementType.F32, "(%d,1,1)".formatted(queries));
    var gemm = new GemmReference(matrix(q, queries), matrix(k, 1), c, 1, 0);
    var sums = tensorCores == AttentionFactors.TensorCores.SM90 ? gemm.onWarpgroups(gemm.allRows())
        : gemm.inTensorMemory(gemm.allRows());
    for (int row = 0; row < queries; row++) sums[row] *= 0.125;
    // The logarithm of one exponential is its score.
    assertArrayEquals(sums, attention(q, k, k, 0.125 / 0.375, ScoreRule.NONE, factors).stepwise().lse(), 1e-6);
  }

  private static TensorView matrix(TensorView tensor, int rows) {
    return new TensorView(tensor.type(), tensor.data(), Layout.columnMajor(rows, 80, 1));
  }

  @Test
  void sumsOfAdaAndHopperLoseBitsThatThoseOfBlackwellKeep() {
    int keys = 300;
    var q = drawn("(1,20,1,64)", 1);
    var k = drawn("(1,%d,1,64)".formatted(keys), 2);
    var errors = new EnumMap<AttentionFactors.TensorCores, Double>(AttentionFactors.TensorCores.class);
    for (var tensorCores : AttentionFactors.TensorCores.values()) {
      var attention = attention(q, k, k, 0.125, ScoreRule.NONE,
          new AttentionFactors(ONE, ONE, blocks(k, 96, 3), ElementType.E5M2, ElementType.F32, 128, tensorCores));
      var exact = attention.exact();
      var steps = attention.stepwise();
      for (int i = 0; i < 20; i++) {
        errors.merge(tensorCores, Math.abs(steps.lse()[i] - exact.lse()[i]), Math::max);
        assertEquals(exact.o()[i], steps.o()[i], 0.1);
      }
    }
    var few = EnumSet.of(AttentionFactors.TensorCores.SM89, AttentionFactors.TensorCores.SM90);
    errors.forEach((tensorCores, error) -> {
      assertTrue(few.contains(tensorCores) ? error > 1e-5 && error < 1e-3 : error < 2e-6, tensorCores + " " + error);
    });
  }

  @Test
  void aQueryThatSeesNothingGivesZeroAndMinusInfinity() {
    var q = drawn("(1,3,1,4)", 1);
    var k = drawn("(1,1,1,4)", 2);
    var attention = attention(q, k, k, 1, ScoreRule.causal(3, 1), new AttentionFactors(ONE, ONE, ONE,
        ElementType.BF16));
    for (var result : List.of(attention.exact(), attention.stepwise())) {
      assertEquals(Double.NEGATIVE_INFINITY, result.lse()[1]);
      for (int d = 0; d < 4; d++) assertEquals(0, result.o()[1 + 3 * d]);
      for (int d = 0; d < 4; d++) assertEquals(k.value(d), result.o()[2 + 3 * d]);
    }
  }

  @Test
  void codesThatAreNoNumbersMakeTheirResultsNone() {
    var v = codes("(1,2,1,2)", 1, 2, 3, Double.NaN);
    var values = attention(codes("(1,1,1,1)", 1), codes("(1,2,1,1)", 1, 2), v, 1, ScoreRule.NONE,
        new AttentionFactors(ONE, ONE, ONE, ElementType.BF16)).stepwise();
    assertTrue(Double.isFinite(values.o()[0]) && Double.isNaN(values.o()[1]) && Double.isFinite(values.lse()[0]));
    var keys = attention(codes("(1,1,1,1)", 1), codes("(1,2,1,1)", 1, Double.NaN), codes("(1,2,1,1)", 1, 2), 1,
        ScoreRule.NONE, new AttentionFactors(ONE, ONE, ONE, ElementType.BF16)).stepwise();
    assertTrue(Double.isNaN(keys.o()[0]) && Double.isNaN(keys.lse()[0]));
  }

  @Test
  void factorsThatDoNotFitAreNamed() {
    var q = drawn("(1,3,2,4)", 1);
    var factors = new AttentionFactors(blocks(q, 2, 1), blocks(q, 3, 1), new AttentionFactors.Blocks(
        blocks(q, 3, 1).values(), 2), ElementType.BF16);
    var error = assertThrows(IllegalArgumentException.class,
        () -> attention(q, q, q, 1, ScoreRule.NONE, factors));
    assertEquals("reference attention needs that factors of V have extent 2 in mode 1, not 1", error.getMessage());
  }

  private static AttentionReference attention(TensorView q, TensorView k, TensorView v, double scale, ScoreRule rule,
      AttentionFactors factors) {
    return new AttentionReference(q, k, v, scale, rule, Optional.of(factors));
  }

  private static TensorView empty(String layout) {
    return AttentionReferenceTest.empty(ElementType.E4M3, layout);
  }

  /** Codes in row-major order of (B,S,H,D). */
  private static TensorView codes(String extents, double... values) {
    var tensor = empty(extents);
    int rows = (int) (tensor.size() / tensor.layout().mode(3).size());
    int width = values.length / rows;
    for (int i = 0; i < values.length; i++) tensor.set(i / width + (long) rows * (i % width), values[i]);
    return tensor;
  }

  private static TensorView unitVectors(int keys) {
    var v = empty("(1,%d,1,%d)".formatted(keys, keys));
    for (int key = 0; key < keys; key++) v.set(key * (keys + 1L), 1);
    return v;
  }

  private static TensorView drawn(String extents, long seed) {
    var tensor = empty(extents);
    Inputs.normal(tensor, seed);
    return tensor;
  }

  /** One factor for all heads, blocks and batch entries. */
  private static AttentionFactors.Blocks shared(double factor) {
    var memory = AttentionReferenceTest.empty(ElementType.F32, "(1,1,1)");
    memory.set(0, factor);
    return new AttentionFactors.Blocks(memory, Integer.MAX_VALUE);
  }

  /** A random factor for each block of rows of each head, heads fastest. */
  private static AttentionFactors.Blocks blocks(TensorView of, int rows, long seed) {
    long batch = of.layout().mode(0).size();
    long blocks = Math.max(1, Math.ceilDiv(of.layout().mode(1).size(), rows));
    long heads = of.layout().mode(2).size();
    var layout = Layout.of(Layout.of(batch, blocks * heads), Layout.of(blocks, heads), Layout.of(heads, 1));
    var values = AttentionReferenceTest.empty(ElementType.F32, layout.toString());
    var random = new SplittableRandom(seed);
    for (int i = 0; i < values.size(); i++) values.set(i, 2 * random.nextDouble());
    return new AttentionFactors.Blocks(values, rows);
  }

  /** Each code times its factor, in FP64. */
  private static TensorView dequantized(TensorView codes, AttentionFactors.Blocks factors) {
    var result = AttentionReferenceTest.empty(ElementType.F64, codes.layout().toString());
    int batch = (int) codes.layout().mode(0).size();
    int rows = (int) codes.layout().mode(1).size();
    int heads = (int) codes.layout().mode(2).size();
    int blocks = Math.ceilDiv(rows, factors.rows());
    for (int i = 0; i < codes.size(); i++) {
      int b = i % batch;
      int row = i / batch % rows;
      int head = i / batch / rows % heads;
      result.set(i, codes.value(i) * factors.values().value(b + (long) batch * (row / factors.rows()
          + blocks * head)));
    }
    return result;
  }
}
