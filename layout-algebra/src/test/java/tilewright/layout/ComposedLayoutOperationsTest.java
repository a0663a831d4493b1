package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import tilewright.layout.f2.Swizzle;

/** Operations on a swizzled layout keep its swizzle and offset, and give at each index what the layout itself gives. */
class ComposedLayoutOperationsTest {
  private static final Swizzle SWIZZLE = new Swizzle(2, 1, 3);
  private static final long OFFSET = 5;
  private static final Layout PLAIN = Layout.parse("(8,16):(16,1)");
  private static final ComposedLayout SWIZZLED = new ComposedLayout(SWIZZLE, OFFSET, PLAIN);

  @Test
  void areThoseOfTheLayoutBehind() {
    var tile = Tiler.parse("[4;8]");
    assertSame(SWIZZLED.composition(Layout.parse("(4,4):(2,8)")), i -> i % 4 * 2 + i / 4 * 8);
    assertSame(SWIZZLED.composition(tile), i -> i % 4 + i / 4 * 8);
    assertSame(SWIZZLED.coalesce(), i -> i);
    assertSame(SWIZZLED.logicalDivide(tile), i -> i);
    // Tile first: row and column in it, then the tile's row and column.
    for (var divided : new ComposedLayout[] {SWIZZLED.zippedDivide(tile), SWIZZLED.tiledDivide(tile),
        SWIZZLED.flatDivide(tile)}) {
      assertSame(divided, i -> i % 4 + i / 32 % 2 * 4 + (i / 4 % 8 + i / 64 * 8) * 8);
    }
    assertEquals("((4,8),(2,2))", SWIZZLED.zippedDivide(tile).shape().toString());
    assertEquals("((4,8),2,2)", SWIZZLED.tiledDivide(tile).shape().toString());
    assertEquals("(4,8,2,2)", SWIZZLED.flatDivide(tile).shape().toString());
    assertEquals("((4,2),(8,2))", SWIZZLED.logicalDivide(tile).shape().toString());
  }

  /** @param index of the undivided layout */
  private static void assertSame(ComposedLayout result, LongUnaryOperator index) {
    for (long i = 0; i < result.size(); i++) {
      long at = index.applyAsLong(i);
      long offset = OFFSET + at % 8 * 16 + at / 8;
      long expected = offset ^ (offset & 0b11_0000) >> 3;
      assertEquals(expected, result.apply(i), result + " at " + i);
    }
  }
}
