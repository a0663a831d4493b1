package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.SearchLimitException;

/** Two indices of one offset, against a table of all offsets, and how far the search for them goes. */
class CollisionSearchTest {

  @Test
  void isFoundExactlyWhereATableHasOne() {
    Layouts.each(3, 3, 4, CollisionSearchTest::check);
    for (var text : new String[] {"(3,2):(-2,4)", "(2,3,4):(-1,2,5)", "(4,3):(-3,4)", "(2,0):(0,1)", "(1,1):(0,0)",
        "(3,4,2):(6,10,15)", "(5,3,2):(6,10,15)", "(4,4,4):(9,-12,16)", "(2,2):(0,0)", "(3,3):(4,-4)"}) {
      check(Layout.parse(text));
    }
  }

  private static void check(Layout layout) {
    var first = new HashMap<Long, Long>();
    boolean injective = true;
    for (long i = 0; i < layout.size(); i++) injective &= first.putIfAbsent(layout.apply(i), i) == null;
    var collision = CollisionSearch.of(layout);
    assertEquals(injective, collision.isEmpty(), layout::toString);
    collision.ifPresent(found -> {
      assertTrue(0 <= found.first() && found.first() < found.second(), layout::toString);
      assertTrue(found.second() < layout.size(), layout::toString);
      assertEquals(found.offset(), layout.apply(found.first()), layout::toString);
      assertEquals(found.offset(), layout.apply(found.second()), layout::toString);
    });
  }

  @Test
  void takesAStepAModeWhereEachLiesBeyondThoseBelow() {
    var modes = new Layout[40];
    for (int k = 0; k < modes.length; k++) modes[k] = Layout.of(2, (2L << k) - 1);
    assertTrue(CollisionSearch.of(Layout.of(modes)).isEmpty());
    modes[0] = Layout.of(4, 1);
    assertTrue(CollisionSearch.of(Layout.of(modes)).isPresent(), "3 is also 3 times 1");
  }

  @Test
  void modesThatMeetOnlyFarOutAreComparedAtMultiples() {
    assertTrue(CollisionSearch.of(Layout.parse("(1000000000,999999937):(999999937,1000000000)")).isEmpty());
    assertTrue(CollisionSearch.of(Layout.parse("(1000000000,1000000000):(999999937,1000000000)")).isEmpty());
    assertEquals(999999937L * 1000000000, CollisionSearch.of(
        Layout.parse("(1000000001,999999938):(999999937,1000000000)")).orElseThrow().offset());
  }

  @Test
  void whatAMillionStepsLeaveOpenIsNotAnswered() {
    var random = new Random(1);
    var modes = new Layout[24];
    for (int k = 0; k < modes.length; k++) modes[k] = Layout.of(2, (1L << 40) + random.nextLong(1L << 38));
    var layout = Layout.of(modes);
    assertThrows(SearchLimitException.class, () -> CollisionSearch.of(layout));
  }
}
