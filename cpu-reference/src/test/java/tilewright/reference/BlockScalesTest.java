package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionFactors.BlockScales;
import tilewright.reference.AttentionFactors.TensorCores;

/** Attention of mxf8 operands beside closed forms and the attention of the numbers that they stand for. */
class BlockScalesTest {

  private static TensorView filled(ElementType type, Layout layout, LongToDoubleFunction values) {
    var view = new TensorView(type, MemorySegment.ofArray(new byte[Math.toIntExact(layout.size()) * type.bytes()]),
        layout);
    for (int i = 0; i < layout.size(); i++) view.set(i, values.applyAsDouble(i));
    return view;
  }

  private static TensorView codes(Layout layout, long seed) {
    var random = new SplittableRandom(seed);
    return filled(ElementType.E4M3, layout, _ -> random.nextGaussian());
  }

  private static TensorView scales(Layout layout, long seed) {
    var random = new SplittableRandom(seed);
    return filled(ElementType.F64, layout, _ -> Math.scalb(1.0, random.nextInt(-3, 2)));
  }

  /** Two entries, heads that share keys, and blocks of 32 with tails: against indices of this test's own. */
  @Test
  void exactResultsAreThoseOfTheNumbersThatCodesStandFor() {
    var q = codes(Layout.columnMajor(2, 7, 4, 40), 1);
    var k = codes(Layout.columnMajor(2, 70, 2, 40), 2);
    var v = codes(Layout.columnMajor(2, 70, 2, 9), 3);
    var scales = new BlockScales(scales(Layout.columnMajor(2, 7, 4, 2), 4), scales(Layout.columnMajor(2, 70, 2, 2), 5),
        scales(Layout.columnMajor(2, 3, 2, 9), 6));
    var numbersQ = filled(ElementType.F64, q.layout(), i -> q.value(i) * scales.q().value(i % 56 + 56 * (i / 56 / 32)));
    var numbersK = filled(ElementType.F64, k.layout(),
        i -> k.value(i) * scales.k().value(i % 280 + 280 * (i / 280 / 32)));
    var numbersV = filled(ElementType.F64, v.layout(),
        i -> v.value(i) * scales.v().value(i % 2 + 2 * (i / 2 % 70 / 32 + 3 * (i / 140))));
    var expected = new AttentionReference(numbersQ, numbersK, numbersV, 0.3, ScoreRule.causal(7, 70)).exact();
    for (var tensorCores : new TensorCores[] {TensorCores.FP32, TensorCores.SM100}) {
      var factors = new AttentionFactors(scales, ElementType.E4M3, ElementType.BF16, 64, tensorCores);
      var attention = new AttentionReference(q, k, v, 0.3, ScoreRule.causal(7, 70), Optional.of(factors));
      assertArrayEquals(expected.o(), attention.exact().o(), 1e-12);
      assertArrayEquals(expected.lse(), attention.exact().lse(), 1e-12);
      assertArrayEquals(expected.o(), attention.stepwise().o(), 0.1);
      assertArrayEquals(expected.lse(), attention.stepwise().lse(), 1e-4);
    }
  }

  /** Without scores, O is the mean of V's numbers; 33 keys of 1 · 4 and then of 2 · 2⁻⁴. */
  @ParameterizedTest
  @EnumSource(names = {"FP32", "SM100"})
  void equalKeysGiveTheMeanOfTheValues(TensorCores tensorCores) {
    var zeros = filled(ElementType.E4M3, Layout.columnMajor(1, 33, 1, 32), _ -> 0);
    var q = filled(ElementType.E4M3, Layout.columnMajor(1, 1, 1, 32), _ -> 1);
    var v = filled(ElementType.E4M3, Layout.columnMajor(1, 33, 1, 1), i -> i < 32 ? 1 : 2);
    var scales = new BlockScales(filled(ElementType.F64, Layout.columnMajor(1, 1, 1, 1), _ -> 1),
        filled(ElementType.F64, Layout.columnMajor(1, 33, 1, 1), _ -> 1),
        filled(ElementType.F64, Layout.columnMajor(1, 2, 1, 1), i -> i == 0 ? 4 : 0x1p-4));
    var factors = new AttentionFactors(scales, ElementType.E4M3, ElementType.F32, 128, tensorCores);
    var result = new AttentionReference(q, zeros, v, 1, ScoreRule.NONE, Optional.of(factors)).stepwise();
    assertEquals((32 * 4 + 2 * 0x1p-4) / 33, result.o()[0], 1e-6);
    assertEquals(Math.log(33), result.lse()[0], 1e-6);
  }

  /** Products 2 · 3 of 40 columns: 32 times 2 · 2⁻¹, then 8 times 4 · 2. */
  @ParameterizedTest
  @EnumSource(names = {"FP32", "SM100"})
  void scoresHaveTheScalesOfBothOperands(TensorCores tensorCores) {
    var q = filled(ElementType.E4M3, Layout.columnMajor(1, 1, 1, 40), _ -> 2);
    var k = filled(ElementType.E4M3, Layout.columnMajor(1, 1, 1, 40), _ -> 3);
    var v = filled(ElementType.E4M3, Layout.columnMajor(1, 1, 1, 1), _ -> 1);
    var scales = new BlockScales(filled(ElementType.F64, Layout.columnMajor(1, 1, 1, 2), i -> i == 0 ? 2 : 4),
        filled(ElementType.F64, Layout.columnMajor(1, 1, 1, 2), i -> i == 0 ? 0.5 : 2),
        filled(ElementType.F64, Layout.columnMajor(1, 1, 1, 1), _ -> 1));
    var factors = new AttentionFactors(scales, ElementType.E4M3, ElementType.F32, 128, tensorCores);
    var result = new AttentionReference(q, k, v, 0.25, ScoreRule.NONE, Optional.of(factors)).stepwise();
    assertEquals(0.25 * (32 * 6 + 8 * 6 * 8), result.lse()[0], 1e-4);
  }
}
