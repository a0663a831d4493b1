package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.tuple.IntTuple;

class XorLayoutTest {

  @ParameterizedTest
  @ValueSource(strings = {"(8,8):(^1,^9)", "4:^3", "(2,(3,4)):(^1,(^0,^5))", "():()"})
  void xorLayoutsAreReadAndPrintedAlike(String text) {
    assertEquals(text, XorLayout.parse(text).toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(8,8):(^1,9)|11|an XOR stride",
      "4:^-1|3|at least 0", "(4,8):^1|6|strides with the tree", "4:3|3|an XOR stride"})
  void mistakesAreNamedWithTheirColumn(String text, int column, String expected) {
    var e = assertThrows(LayoutSyntaxException.class, () -> XorLayout.parse(text));
    assertTrue(e.getMessage().startsWith("column " + column + " "), e.getMessage());
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  @Test
  void columnsOfASwizzledTileAreFoldedByTheirRow() {
    var layout = XorLayout.parse("(8,8):(^1,^9)");
    for (long x = 0; x < 8; x++) {
      for (long y = 0; y < 8; y++) {
        assertEquals(x ^ y ^ y << 3, layout.apply(IntTuple.flat(x, y)));
        assertEquals(x ^ y ^ y << 3, layout.apply(x + 8 * y));
      }
    }
  }

  @Test
  void productsAreThoseOfPolynomials() {
    for (long a = 0; a < 64; a++) {
      for (long b = 0; b < 64; b++) {
        long product = 0;
        for (int i = 0; i < 6; i++) {
          for (int j = 0; j < 6; j++) product ^= (a >> i & b >> j & 1) << i + j;
        }
        assertEquals(product, XorLayout.carrylessProduct(a, b));
      }
    }
    assertEquals(1L << 62, XorLayout.carrylessProduct(1L << 31, 1L << 31));
    assertThrows(ArithmeticException.class, () -> XorLayout.carrylessProduct(1L << 32, 1L << 31));
  }

  @Test
  void coalescingKeepsTheFunctionAndLeavesNoNeighboursToMerge() {
    int merged = 0;
    for (long first = 1; first <= 4; first++) {
      for (long second = 1; second <= 4; second++) {
        for (long d = 0; d < 16; d++) {
          for (long e = 0; e < 16; e++) {
            var layout = new XorLayout(IntTuple.flat(first, second), IntTuple.flat(d, e));
            var normal = layout.coalesce();
            for (long i = 0; i < layout.size(); i++) assertEquals(layout.apply(i), normal.apply(i), layout.toString());
            boolean one = isProduct(layout);
            assertEquals(one, normal.shape() instanceof IntTuple.Leaf, layout + " becomes " + normal);
            if (one) merged++;
          }
        }
      }
    }
    assertTrue(merged > 100, merged + " merged");
  }

  /** Whether one stride alone gives all offsets: that of index 1. */
  private static boolean isProduct(XorLayout layout) {
    if (layout.size() == 1) return true;
    for (long i = 0; i < layout.size(); i++) {
      if (layout.apply(i) != XorLayout.carrylessProduct(i, layout.apply(1))) return false;
    }
    return true;
  }

  @Test
  void theLastModeRunsOnBeyondTheSize() {
    for (long first = 1; first <= 4; first++) {
      for (long second = 0; second <= 3; second++) {
        var layout = new XorLayout(IntTuple.flat(first, second), IntTuple.flat(3, 5));
        for (long i = 0; i < 20; i++) {
          long expected = XorLayout.carrylessProduct(i % first, 3) ^ XorLayout.carrylessProduct(i / first, 5);
          assertEquals(expected, layout.apply(i), layout + " at " + i);
        }
      }
    }
  }

  @Test
  void emptyLayoutsCoalesceToTheEmptyMode() {
    assertEquals("0:^0", XorLayout.parse("(4,0):(^1,^4)").coalesce().toString());
    var before = XorLayout.parse("(0,4):(^1,^4)");
    assertThrows(IllegalArgumentException.class, () -> before.apply(0));
  }

  @Test
  void modesMergeUpToBit62() {
    assertEquals("4:^" + (1L << 61), XorLayout.parse("(2,2):(^" + (1L << 61) + ",^" + (1L << 62) + ")").coalesce()
        .toString());
    var apart = XorLayout.parse("(2,2):(^" + (1L << 62) + ",^1)");
    assertEquals(apart, apart.coalesce());
  }

  @Test
  void coordinatesFitTheShapeAndCountFromZero() {
    var layout = XorLayout.parse("(2,(2,2)):(^1,(^2,^4))");
    assertEquals(7, layout.apply(IntTuple.parse("(1,3)")));
    assertEquals(5, layout.apply(IntTuple.parse("(1,(0,1))")));
    for (var bad : new String[] {"(1,2,3)", "((0,1),0)", "(0,(1,1,1))", "-1", "(-1,0)"}) {
      var coordinate = IntTuple.parse(bad);
      assertThrows(IllegalArgumentException.class, () -> layout.apply(coordinate), bad);
    }
    assertEquals(2, layout.rank());
  }

  @Test
  void shapesAndStridesAreOneTreeOfIntegersFromZero() {
    assertThrows(IllegalArgumentException.class, () -> new XorLayout(IntTuple.flat(2, 2), IntTuple.of(1)));
    var negative = assertThrows(IllegalArgumentException.class,
        () -> new XorLayout(IntTuple.flat(2, 2), IntTuple.flat(1, -4)));
    assertTrue(negative.getMessage().contains("XOR stride -4 of (1,-4)"), negative.getMessage());
  }
}
