package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class GemmReferenceTest {
  private static final int M = 5;
  private static final int N = 7;
  private static final int K = 19;

  @Test
  void resultsOverAnyLayoutAreThoseOfExactArithmetic() {
    for (var layouts : new String[][] {
        {"(5,19,2):(19,1,95)", "(7,19,2):(1,7,133)", "(5,7,2):(7,1,35)"},
        {"(5,19,2):(1,5,95)", "(7,19,2):(23,1,161)", "(5,7,2):(2,10,70)"},
        {"(5,19,2):(40,2,1)", "(7,19,2):(0,1,19)", "(5,7,2):(1,5,35)"}}) {
      var a = normal(ElementType.BF16, layouts[0], 1);
      var b = normal(ElementType.F16, layouts[1], 2);
      var c = normal(ElementType.F32, layouts[2], 3);
      var reference = new GemmReference(a, b, c, 0.5f, -2f);
      var results = reference.exact(reference.allRows());
      for (int l = 0; l < 2; l++) {
        for (int n = 0; n < N; n++) {
          for (int m = 0; m < M; m++) {
            var sum = BigDecimal.ZERO;
            for (int k = 0; k < K; k++) {
              var x = new BigDecimal(a.value(m + M * (k + (long) K * l)));
              sum = sum.add(x.multiply(new BigDecimal(b.value(n + N * (k + (long) K * l)))));
            }
            int index = m + M * (n + N * l);
            var old = new BigDecimal(c.value(index));
            double expected = sum.multiply(new BigDecimal(0.5)).add(old.multiply(new BigDecimal(-2))).doubleValue();
            assertEquals(expected, results[index], 1e-13 * Math.max(1, Math.abs(expected)));
          }
        }
      }
    }
  }

  /** 1 + 2^-24 repeated: in FP32 every addend is lost, one at a time. */
  @Test
  void sequentialSumsRoundAfterEveryProduct() {
    var a = filled(ElementType.F32, "(1,9,1):(9,1,9)", 0x1p-24);
    a.set(0, 1);
    var b = filled(ElementType.F32, "(1,9,1):(9,1,9)", 1);
    var reference = new GemmReference(a, b, filled(ElementType.F32, "(1,1,1):(0,0,0)", 0), 1, 0);
    assertEquals(1, reference.sequential(reference.allRows())[0]);
    assertEquals(1 + 8 * 0x1p-24, reference.exact(reference.allRows())[0]);
  }

  @Test
  void theTensorCoresOwnOrderTruncatesWhereTheModelSays() {
    var a = filled(ElementType.F16, "(1,17,1):(17,1,17)", 0x1p-12);
    var b = filled(ElementType.F16, "(1,17,1):(17,1,17)", 0x1p-13);
    a.set(0, 1);
    b.set(0, 1);
    var reference = new GemmReference(a, b, filled(ElementType.F32, "(1,1,1):(0,0,0)", 0), 1, 0);
    assertEquals(1, reference.onTensorCores(80, reference.allRows())[0]);
    assertEquals(1 + 14 * 0x1p-25, reference.onTensorCores(90, reference.allRows())[0], 0x1p-24);
  }

  /**
   * 32 + 2^-10, added in blocks of 32: the second block is cut off from a sum of 14 bits, and not from an FP32 number.
   */
  @Test
  void sumsOfBytesLoseLessWhereTheyArePromoted() {
    var a = filled(ElementType.E4M3, "(1,64,1):(64,1,64)", 1);
    var b = filled(ElementType.E5M2, "(1,64,1):(64,1,64)", 1);
    for (int k = 32; k < 64; k++) a.set(k, k == 32 ? 0x1p-9 : 0);
    var reference = new GemmReference(a, b, filled(ElementType.F32, "(1,1,1):(0,0,0)", 0), 1, 0);
    assertEquals(32, reference.onWarpgroups(reference.allRows())[0]);
    assertEquals(32 + 0x1p-9, reference.onWarpgroups(32, reference.allRows())[0]);
  }

  /** 2048 and 1: an f16 between 2048 and 4096 is even, and a tie is rounded to the multiple of four. */
  @Test
  void accumulatorsOfF16AreRoundedAfterEachBlock() {
    var a = filled(ElementType.F16, "(1,32,1):(32,1,32)", 0);
    a.set(0, 2048);
    a.set(16, 1);
    var b = filled(ElementType.F16, "(1,32,1):(32,1,32)", 1);
    var reference = new GemmReference(a, b, filled(ElementType.F32, "(1,1,1):(0,0,0)", 0), 1, 0);
    assertEquals(2048, reference.onWarpgroups(ElementType.F16, reference.allRows())[0]);
    assertEquals(2049, reference.onWarpgroups(ElementType.F32, reference.allRows())[0]);
    assertEquals(2048, reference.onTensorCores(80, ElementType.F16, reference.allRows())[0]);
  }

  @Test
  void integersAreSummedExactlyAndWrap() {
    int depth = 1 << 18;
    var a = filled(ElementType.I8, "(1," + depth + ",1):(" + depth + ",1,0)", -128);
    var c = filled(ElementType.I32, "(1,1,1):(0,0,0)", 0);
    var reference = new GemmReference(a, a, c, 1, 0);
    assertEquals((double) (int) (depth * 16384L), reference.onWarpgroups(reference.allRows())[0]);
    assertEquals(depth * 16384.0, reference.exact(reference.allRows())[0]);
  }

  @Test
  void noProductsLeaveOnlyC() {
    var a = filled(ElementType.BF16, "(2,0,1):(1,1,0)", 0);
    var reference = new GemmReference(a, a, filled(ElementType.F32, "(2,2,1):(1,2,0)", 3), 1, 2);
    assertEquals(6, reference.exact(reference.allRows())[3]);
    assertEquals(6, reference.sequential(reference.allRows())[3]);
    assertEquals(6, reference.onTensorCores(80, reference.allRows())[3]);
  }

  @Test
  void cIsNotReadWhereBetaIsZero() {
    var a = filled(ElementType.BF16, "(1,4,1):(4,1,4)", 1);
    var reference = new GemmReference(a, a, filled(ElementType.F32, "(1,1,1):(0,0,0)", Double.NaN), 1, 0);
    assertEquals(4, reference.exact(reference.allRows())[0]);
    assertEquals(4, reference.onTensorCores(80, reference.allRows())[0]);
  }

  @Test
  void notANumberSpreadsAlongItsRowOnly() {
    var a = filled(ElementType.BF16, "(2,4,1):(4,1,8)", 1);
    a.set(1, Double.NaN);
    var b = filled(ElementType.BF16, "(2,4,1):(4,1,8)", 1);
    var reference = new GemmReference(a, b, filled(ElementType.F32, "(2,2,1):(1,2,4)", 0), 1, 0);
    int[] rows = reference.allRows();
    for (var results : new double[][] {reference.exact(rows), reference.onTensorCores(90, rows)}) {
      assertEquals(4, results[0]);
      assertTrue(Double.isNaN(results[1]) && Double.isNaN(results[3]));
    }
  }

  @Test
  void extentsThatDisagreeAreNamed() {
    var a = filled(ElementType.BF16, "(2,4,1):(4,1,8)", 1);
    var b = filled(ElementType.BF16, "(2,5,1):(5,1,10)", 1);
    var e = assertThrows(IllegalArgumentException.class, () -> new GemmReference(a, b, a, 1, 0));
    assertTrue(e.getMessage().contains("4 and 5"), e.getMessage());
  }

  private static TensorView normal(ElementType type, String layout, long seed) {
    var view = filled(type, layout, 0);
    Inputs.normal(view, seed);
    return view;
  }

  private static TensorView filled(ElementType type, String text, double value) {
    var layout = Layout.parse(text);
    var data = MemorySegment.ofArray(new byte[Math.toIntExact((layout.cosize() + 1) * type.bytes())]);
    var view = new TensorView(type, data, layout);
    for (long i = 0; i < view.size(); i++) view.set(i, value);
    return view;
  }
}
