package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.tuple.IntTuple;

/** Complements of all small layouts: with the layout, each offset up to the bound once, in rising order. */
class SmallComplementsTest {

  @Test
  void togetherTheyReachEachOffsetOnce() {
    Layouts.each(2, 4, 6, layout -> {
      for (long bound : new long[] {1, 2, 7, 12, 24}) check(layout, bound);
    });
  }

  private static void check(Layout layout, long bound) {
    if (!(Complement.of(layout, bound) instanceof Decision.Defined<Layout>(var rest, var certificate))) return;
    assertTrue(certificate.holds(), layout + " and " + rest);
    var both = Layout.of(layout.filter(), rest);
    var reached = new HashSet<Long>();
    for (long offset : both.offsets()) assertTrue(reached.add(offset), layout + " and " + rest + " share " + offset);
    long whole = reached.size();
    for (long i = 0; i < whole; i++) assertTrue(reached.contains(i), layout + " and " + rest + " leave out " + i);
    assertTrue(whole >= bound && whole < bound + 2 * layout.cosize(), layout + " to " + bound + ": " + rest);
    for (long i = 1; i < rest.size(); i++) assertTrue(rest.apply(i - 1) < rest.apply(i), rest + " falls");
    assertEquals(rest.coalesce(), rest);
  }

  @Test
  void isRefusedExactlyWhereOffsetsCannotTile() {
    Layouts.each(2, 4, 6, layout -> {
      boolean tiles = tiles(layout);
      var decision = Complement.of(layout, 24);
      assertEquals(tiles, decision instanceof Decision.Defined, layout::toString);
      if (decision instanceof Decision.Undefined<Layout> refused) {
        var witness = refused.witness().orElseThrow();
        assertEquals(layout.coordinate(witness.index()), witness.coordinate());
        assertEquals(layout.apply(witness.index()), witness.given(), refused::message);
        assertTrue(witness.demanded() > witness.given(), refused::message);
      }
    });
  }

  /** Whether some set of starts, taken greedily from the least offset left out, makes translates that never meet. */
  private static boolean tiles(Layout layout) {
    var filtered = layout.filter();
    var offsets = new HashSet<Long>();
    for (long offset : filtered.offsets()) {
      if (!offsets.add(offset)) return false;
    }
    long end = 720;
    var reached = new HashSet<Long>();
    for (long start = 0; start < end; start++) {
      if (reached.contains(start)) continue;
      for (long offset : offsets) {
        if (!reached.add(start + offset)) return false;
      }
    }
    return true;
  }

  @Test
  void saysWhatItNeeds() {
    refused("4:1", 0, "the bound is at least 1; got 0");
    refused("(2,0):(1,2)", 8, "the layout is not empty; its shape is (2,0)");
    refused("(2,2):(1,-2)", 8, "strides are at least 0; got -2");
    refused("(2,2):(2,3)", 8, "4 does not divide 3");
  }

  @Test
  void aStrideBelowZeroShowsTheOffsetThatNoComplementReaches() {
    var layout = Layout.parse("(2,(3,2)):(1,(2,-6))");
    var refused = assertInstanceOf(Decision.Undefined.class, Complement.of(layout, 24));
    var witness = new Witness(IntTuple.parse("(0,(0,1))"), 6, 0, -6);
    assertEquals(witness, refused.witness().orElseThrow());
    assertEquals(-6, layout.apply(witness.coordinate()));
  }

  private static void refused(String layout, long bound, String reason) {
    var refused = assertInstanceOf(Decision.Undefined.class, Complement.of(Layout.parse(layout), bound));
    assertTrue(refused.message().contains(reason), refused.message());
  }

  @Test
  void aBoundThatIsReachedNeedsNoFurtherMode() {
    assertEquals(Layout.of(1, 0), Layout.of(8, 1).complement(8));
    assertEquals(Layout.of(2, 8), Layout.of(8, 1).complement(9));
  }
}
