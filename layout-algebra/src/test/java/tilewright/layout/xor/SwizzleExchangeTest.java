package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** A swizzle behind a layout as one before it, by all offsets. */
class SwizzleExchangeTest {

  private static List<Swizzle> swizzles(int mostBits, int highestBase, int longestShift) {
    var all = new ArrayList<Swizzle>();
    for (int bits = 0; bits <= mostBits; bits++) {
      for (int base = 0; base <= highestBase; base++) {
        for (int shift = -longestShift; shift <= longestShift; shift++) {
          if (Math.abs(shift) >= bits) all.add(new Swizzle(bits, base, shift));
        }
      }
    }
    return all;
  }

  private static boolean hasTheValues(Swizzle outer, Layout layout, Swizzle inner) {
    for (long i = 0; i < layout.size(); i++) {
      if (outer.apply(layout.apply(i)) != layout.apply(inner.apply(i))) return false;
    }
    return true;
  }

  @Test
  void aSwizzleMovesOutOfALayoutExactlyWhereSomeSwizzleHasItsValues() {
    int[] counts = new int[2];
    var layouts = List.of("4:1", "(2,2):(2,1)", "(4,2):(2,1)", "(4,4):(4,1)", "(2,2,2):(2,4,1)", "(2,4):(1,4)",
        "(3,2):(2,1)", "(4,2):(1,1)", "(2,2,2):(4,1,2)", "(4,4):(1,8)", "6:1", "(2,2):(1,3)", "1:5", "(2,2):(0,1)");
    var candidates = swizzles(4, 8, 10);
    var inners = swizzles(3, 2, 3);
    for (var text : layouts) {
      var layout = Layout.parse(text);
      for (var inner : inners) {
        var exists = candidates.stream()
            .anyMatch(s -> hasTheValues(s, layout, inner));
        switch (SwizzleExchange.of(layout, inner)) {
          case Decision.Defined<ComposedLayout>(var result, var certificate) -> {
            counts[0]++;
            assertTrue(certificate.holds());
            assertEquals(layout, result.layout());
            assertTrue(hasTheValues(result.swizzle(), layout, inner), layout + " ∘ " + inner);
          }
          case Decision.Undefined<ComposedLayout> undefined -> {
            counts[1]++;
            assertTrue(!exists, undefined.message());
            assertEquals(layout + " ∘ " + inner, undefined.operation());
          }
        }
      }
    }
    assertTrue(counts[0] > 100 && counts[1] > 50, counts[0] + " defined, " + counts[1] + " not");
  }

  @Test
  void aLinearLayoutIsDecidedByItsBitsHoweverLargeItIs() {
    var layout = Layout.parse("(1048576,1048576):(1048576,1)");
    assertEquals("Sw<2,20,3>o0o" + layout,
        SwizzleExchange.of(layout, Swizzle.parse("Sw<2,0,3>")).orElseThrow().toString());
  }

  @Test
  void aLayoutWhoseSumsCarryIsDecidedUpTo2To20Elements() {
    var swizzle = Swizzle.parse("Sw<1,0,1>");
    var most = assertInstanceOf(Decision.Undefined.class,
        SwizzleExchange.of(Layout.parse("(524288,2):(1,1)"), swizzle));
    assertEquals("1048576 offsets become 1048576 others", most.numbers());
    var more = assertInstanceOf(Decision.Undefined.class, SwizzleExchange.of(Layout.parse("1048577:1"), swizzle));
    assertEquals("it has 1048577", more.numbers());
  }

  @Test
  void offsetsAreAtLeastZero() {
    var swizzle = Swizzle.parse("Sw<1,0,1>");
    for (var text : List.of("(4,2):(-1,4)", "(2,2):(-1,4)", "(3,2):(1,-1)")) {
      var undefined = assertInstanceOf(Decision.Undefined.class, SwizzleExchange.of(Layout.parse(text), swizzle));
      assertEquals("every offset is at least 0", undefined.condition());
    }
  }

  @Test
  void offsetsThatNoSwizzleChangesAreWrittenOutUpTo16() {
    var shown = assertInstanceOf(Decision.Undefined.class,
        SwizzleExchange.of(Layout.parse("16:3"), Swizzle.parse("Sw<1,0,1>")));
    assertTrue(shown.numbers().startsWith("offsets [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45] become"
        + " [0, 3, 9, 6, 12, 15, 21, 18,"), shown.numbers());
    var counted = assertInstanceOf(Decision.Undefined.class,
        SwizzleExchange.of(Layout.parse("17:3"), Swizzle.parse("Sw<1,0,1>")));
    assertEquals("17 offsets become 17 others", counted.numbers());
  }
}
