package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tilewright.layout.coordinate.CoordinateComposition;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.synthesis.LayoutSum;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.SwizzleExchange;
import tilewright.layout.xor.Unswizzling;

/** Each operation of a layout once, with values from CuTe's documentation or worked out by hand. */
class LayoutMethodsTest {

  private static Layout layout(String text) {
    return Layout.parse(text);
  }

  @Test
  void complementsFillTheGaps() {
    assertEquals(layout("(3,2):(2,12)"), layout("(2,2):(1,6)").complement(24));
    assertEquals(layout("3:2"), layout("(2,2):(1,6)").complement());
    assertEquals(layout("3:2"), Complement.of(layout("(2,2):(1,6)"), 1, Dialect.CUTE_CPP).orElseThrow());
    assertEquals(layout("6:4"), Complement.of(layout("4:1"), 24, Dialect.PYCUTE).orElseThrow());
  }

  @Test
  void divisionsSplitIntoTileAndRest() {
    assertEquals(layout("((2,2),(2,3)):((4,1),(2,8))"), layout("(4,2,3):(2,1,8)").logicalDivide(layout("4:2")));
    var tiler = Tiler.parse("[2:1;4:1]");
    assertEquals(layout("((2,2),(4,2)):((1,2),(4,16))"), layout("(4,8):(1,4)").logicalDivide(tiler));
    assertEquals(layout("((2,4),(2,2)):((1,4),(2,16))"), layout("(4,8):(1,4)").zippedDivide(tiler));
    assertEquals(layout("((2,4),2,2):((1,4),2,16)"), layout("(4,8):(1,4)").tiledDivide(tiler));
    assertEquals(layout("(2,4,2,2):(1,4,2,16)"), layout("(4,8):(1,4)").flatDivide(tiler));
  }

  @Test
  void productsRepeatOverTheComplement() {
    assertEquals(layout("((2,2),(2,3)):((4,1),(2,8))"), layout("(2,2):(4,1)").logicalProduct(layout("6:1")));
    var block = layout("(2,5):(5,1)");
    var tiler = Tiler.parse("[3:1;4:1]");
    assertEquals(layout("((2,3),(5,4)):((5,1),(1,5))"), block.logicalProduct(tiler));
    assertEquals(layout("((2,5),(3,4)):((5,1),(1,5))"), block.zippedProduct(tiler));
    assertEquals(layout("((2,5),3,4):((5,1),1,5)"), block.tiledProduct(tiler));
    assertEquals(layout("(2,5,3,4):(5,1,1,5)"), block.flatProduct(tiler));
    assertEquals(layout("((2,3),(5,4)):((5,10),(1,30))"), block.blockedProduct(layout("(3,4):(1,3)")));
    assertEquals(layout("((3,2),(4,5)):((10,5),(30,1))"), block.rakedProduct(layout("(3,4):(1,3)")));
  }

  @Test
  void aBlockIsRepeatedUntilItFillsAShape() {
    var block = layout("(2,2):(1,2)");
    assertEquals(layout("((2,2),(2,2)):((1,4),(2,8))"), block.tileToShape(IntTuple.flat(4, 4)));
    assertEquals(layout("((2,2),(2,2)):((1,8),(2,4))"), block.tileToShape(IntTuple.flat(4, 4), IntTuple.flat(1, 0)));
  }

  @Test
  void inversesOfATransposeAreTheTransposeBack() {
    var rows = Layout.rowMajor(2, 4);
    assertEquals(layout("(4,2):(2,1)"), rows.rightInverse());
    assertEquals(layout("(4,2):(2,1)"), rows.leftInverse());
    assertEquals(layout("(4,2):(2,1)"), rows.quasiInverse());
    assertEquals(layout("4:2"), Inverse.right(layout("(2,4):(3,1)"), Dialect.PYCUTE).take(0, 1).mode(0));
    assertEquals(layout("8:1"), layout("(2,4):(1,2)").maxCommonLayout(layout("8:1")));
    assertEquals(2, layout("(2,4):(1,2)").maxCommonLayout(layout("(2,4):(1,8)")).size());
  }

  @Test
  void structureIsReadOffTheTree() {
    var layout = layout("(4,(2,3)):(6,(1,2))");
    assertEquals(2, layout.depth());
    assertEquals(layout("((2,3),4):((1,2),6)"), layout.select(1, 0));
    assertArrayEquals(new long[] {0, 6, 12, 18, 1, 7, 13, 19}, layout("(4,2):(6,1)").offsets());
    assertArrayEquals(new long[0], layout("(4,0,4294967296):(6,1,1)").offsets());
    assertEquals(layout("(1,4):(0,1)").stride(), CompactOrder.columnMajor(IntTuple.flat(1, 4), Dialect.CUTE_CPP));
    assertEquals(layout("(1,4):(1,1)").stride(), CompactOrder.columnMajor(IntTuple.flat(1, 4), Dialect.PYCUTE));
  }

  @Test
  void emptyLayoutsAndThoseWithoutModesHaveTheirNormalForms() {
    assertEquals(layout("0:0"), layout("(4,0):(1,4)").coalesce());
    assertEquals(layout("0:0"), ZeroStrides.nullspace(layout("(4,0):(0,4)")));
    assertEquals(layout("1:0"), layout("():()").coalesce());
    assertEquals(layout("1:0"), layout("():()").coalesceExtended());
  }

  @Test
  void sumsOfFunctionsAreTakenOnACommonRefinement() {
    var sum = assertInstanceOf(Decision.Defined.class, LayoutSum.of(layout("6:1"), layout("(2,3):(5,4)")));
    assertEquals(layout("(2,3):(6,6)"), sum.result());
    assertTrue(sum.certificate().holds(), sum.certificate().explain());
  }

  @Test
  void overF2AndInCoordinatesLayoutsComposeToo() {
    assertEquals("(2,2):(^1,^2)", Unswizzling.xor(layout("(2,2):(1,2)")).orElseThrow().toString());
    assertEquals(layout("4:3"), CoordinateComposition.of(layout("(2,4):(1,3)"),
        CoordinateLayout.parse("4:1@1")).orElseThrow());
    assertEquals("Sw<1,1,1>o0o4:2", SwizzleExchange.of(layout("4:2"), new Swizzle(1, 0, 1)).orElseThrow().toString());
  }

  @Test
  void digitsOfAnOffsetNeedCongruentShapeAndStride() {
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Coordinates.ofOffset(3, IntTuple.flat(2, 2), IntTuple.flat(1)));
    assertTrue(refusal.getMessage().contains("(2,2) and (1) are not congruent"), refusal.getMessage());
  }
}
