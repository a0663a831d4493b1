package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Complement;
import tilewright.layout.Composition;
import tilewright.layout.Division;
import tilewright.layout.Layout;
import tilewright.layout.Product;
import tilewright.layout.Tiler;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;

/** What one would like to be true, and is not: each with the least example known. */
class AssumedLawsTest {

  private static Layout layout(String text) {
    return Layout.parse(text);
  }

  private static boolean isUndefined(Decision<Layout> decision) {
    return decision instanceof Decision.Undefined<Layout>;
  }

  @Test
  void compositionIsNotTotal() {
    assertTrue(isUndefined(Composition.of(layout("(6,2):(1,7)"), layout("(3,2):(2,3)"))));
  }

  /** A's domain ends at 15, but B's offsets do not. */
  @Test
  void compositionIsNotAssociativeBeyondTheDomain() {
    var a = layout("(5,3):(1,7)");
    var b = layout("4:1");
    var c = layout("2:5");
    var left = a.composition(b).composition(c);
    var right = a.composition(b.composition(c));
    assertFalse(Arrays.equals(Definition.table(left), Definition.table(right)), () -> left + " and " + right);
  }

  /** Each mode of (3,2):(2,3) composes alone; together their digits carry. */
  @Test
  void compositionDoesNotDistributeOverTheRightOperandsModes() {
    var a = layout("(6,2):(1,7)");
    assertArrayEquals(new long[] {0, 2, 4}, Definition.table(a.composition(layout("3:2"))));
    assertArrayEquals(new long[] {0, 3}, Definition.table(a.composition(layout("2:3"))));
    assertEquals(8, a.apply(2 * 2 + 3), "not 2 · 2 + 3 = 7");
  }

  /** 3 is no multiple of 2, nor 2 of 3; the carries cancel. */
  @Test
  void divisibilityByModeIsNotNecessaryForComposition() {
    assertArrayEquals(new long[] {0, 6, 12}, Definition.table(layout("(2,2,4):(1,5,7)").composition(layout("3:3"))));
  }

  @Test
  void divisibilityByModeIsNotSufficientForComposition() {
    assertTrue(isUndefined(Composition.of(layout("(4,6,8):(2,3,5)"), layout("6:3"))));
    assertTrue(isUndefined(Composition.of(layout("(6,4):(1,100)"), layout("4:4"))));
  }

  @Test
  void anInjectiveLayoutNeedNotHaveAComplement() {
    var layout = layout("(2,3):(3,2)");
    assertTrue(Tables.isInjective(Definition.table(layout)));
    assertTrue(isUndefined(Complement.of(layout, 12)));
  }

  @Test
  void theComplementOfTheComplementForgetsTheOrder() {
    var layout = layout("(2,4):(4,1)");
    assertNotEquals(layout, layout.complement(8).complement(8));
  }

  @Test
  void rightInversesAreNotInversesOnTheWholeDomain() {
    var layout = layout("(4,8):(1,5)");
    assertEquals(4, layout.rightInverse().size(), "only 0…3 are reached without a gap");
  }

  @Test
  void leftAndRightInversesDiffer() {
    var layout = layout("4:2");
    assertEquals(1, layout.rightInverse().size());
    assertTrue(layout.leftInverse().size() > 1);
  }

  /** For (4,8):(1,5) the right inverse of layout and complement has size 4, as if the rest were unreachable. */
  @Test
  void theLeftInverseIsNotTheRightInverseWithTheComplement() {
    var layout = layout("(4,8):(1,5)");
    var left = Definition.of(layout.leftInverse());
    for (int i = 0; i < 32; i++) assertEquals(i, left.at(Definition.table(layout)[i]));
    assertTrue(isUndefined(Complement.of(layout, 40)));
  }

  @Test
  void divisionsAndProductsAreNotTotal() {
    assertTrue(isUndefined(Division.logical(layout("24:1"), layout("(2,3):(3,2)"))));
    assertTrue(isUndefined(Product.logical(layout("4:2"), layout("3:1"))));
  }

  @Test
  void productsDoNotCommute() {
    var ab = layout("2:1").logicalProduct(layout("3:1"));
    var ba = layout("3:1").logicalProduct(layout("2:1"));
    assertNotEquals(ab, ba);
    assertArrayEquals(Tables.sorted(Definition.table(ab)), Tables.sorted(Definition.table(ba)));
  }

  @Test
  void coalescingChangesWhatLiesBeyondTheSize() {
    var layout = layout("(4,1):(1,0)");
    assertEquals(0, layout.apply(4));
    assertEquals(4, layout.coalesce().apply(4));
  }

  @Test
  void cosizeIsNotOneMoreThanTheGreatestOffset() {
    var layout = layout("4:-1");
    assertEquals(4, layout.cosize());
    assertEquals(0, LongStream.of(Definition.table(layout)).max().orElseThrow());
  }

  @Test
  void cosizeIsNotMonotoneUnderComposition() {
    assertTrue(layout("4:5").composition(layout("2:1")).cosize() > layout("2:1").cosize());
  }

  @Test
  void theCosizeOfASwizzledLayoutDoesNotBoundItsOffsets() {
    var swizzle = new Swizzle(1, 0, 1);
    var offsets = LongStream.of(Definition.table(layout("3:1"))).map(swizzle::apply).toArray();
    assertArrayEquals(new long[] {0, 1, 3}, offsets, "3 needs a cosize of 4");
  }

  @Test
  void compatibilityIsNotSymmetric() {
    var coarse = IntTuple.parse("8");
    var fine = IntTuple.parse("(2,4)");
    assertTrue(coarse.isCompatibleWith(fine));
    assertFalse(fine.isCompatibleWith(coarse));
  }

  @Test
  void aTilerOfTwoModesIsNotALayoutOfTwoModes() {
    var layout = layout("(8,8):(1,8)");
    var byMode = layout.zippedDivide(Tiler.parse("[2:1;4:1]"));
    var byLayout = layout.zippedDivide(Tiler.parse("(2,4):(1,2)"));
    assertFalse(Arrays.equals(Definition.table(byMode), Definition.table(byLayout)));
  }

  @Test
  void aLayoutTilesAllOfALayoutNotItsFirstMode() {
    var layout = layout("(2,8):(8,1)");
    assertArrayEquals(new long[] {0, 8, 1, 9}, Definition.table(layout.logicalDivide(layout("4:1")).mode(0)));
    var byMode = layout.logicalDivide(Tiler.parse("[4:1]"));
    assertArrayEquals(new long[] {0, 8, 16, 24}, Definition.table(byMode.mode(0).mode(0)), "mode 0 has 2 only");
  }

  @Test
  void swizzlesDoNotCommuteWithOffsets() {
    var swizzle = new Swizzle(2, 0, 2);
    assertNotEquals(swizzle.apply(3) + 5, swizzle.apply(3 + 5));
    assertEquals(swizzle.apply(3) + 16, swizzle.apply(3 + 16), "but with those of whole blocks");
  }

  @Test
  void theStrideOfAModeOfOneElementMattersBeyondTheSize() {
    assertNotEquals(layout("(4,1):(1,0)").apply(5), layout("(4,1):(1,4)").apply(5));
  }

  @Test
  void rowMajorLayoutsStillCountTheirFirstModeFirst() {
    assertEquals(8, layout("(4,8):(8,1)").apply(1));
  }
}
