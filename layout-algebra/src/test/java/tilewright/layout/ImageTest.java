package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.SearchLimitException;

/** Sets of offsets, against the sets that tables of all offsets make. */
class ImageTest {

  @Test
  void isARangeExactlyWhereTheTableIs() {
    Layouts.each(2, 4, 5, layout -> {
      var offsets = offsets(layout);
      for (long n = 0; n <= offsets.size() + 1; n++) {
        boolean range = offsets.size() == n && offsets.first() == 0 && offsets.last() == n - 1;
        assertEquals(range, Image.of(layout).isRange(n), layout + " and " + n);
      }
    });
    assertTrue(Image.of(Layout.parse("(2,0):(1,2)")).isRange(0));
    assertFalse(Image.of(Layout.parse("(2,0):(1,2)")).isRange(1));
    assertFalse(Image.of(Layout.parse("2:-1")).isRange(2));
  }

  @Test
  void isTheSameSetExactlyWhereTheTablesSay() {
    var layouts = new ArrayList<Layout>();
    Layouts.each(2, 4, 4, layouts::add);
    for (var text : new String[] {"(2,2):(-1,3)", "(3,2):(2,3)", "(2,2,2):(2,2,3)", "(3,0):(1,1)", "3:-1",
        "(2,2,2):(3,5,7)", "(2,2,2):(3,4,5)", "(3,2,2):(3,7,1)", "(2,4):(4,2)", "(2,2,3):(4,5,2)"}) {
      layouts.add(Layout.parse(text));
    }
    var sets = layouts.stream().map(ImageTest::offsets).toList();
    for (int i = 0; i < layouts.size(); i++) {
      for (int k = 0; k < layouts.size(); k++) {
        assertEquals(sets.get(i).equals(sets.get(k)), Image.of(layouts.get(i)).isSameSet(Image.of(layouts.get(k))),
            layouts.get(i) + " and " + layouts.get(k));
      }
    }
  }

  @Test
  void whatTellsHugeSetsApartIsSeenWithoutListingThem() {
    var huge = image("(4194304,2,2):(2,3,16777217)");
    assertFalse(huge.isSameSet(image("(4194304,2,2):(2,3,16777219)")), "the greatest");
    assertFalse(huge.isSameSet(image("(4194304,2,2):(-2,-3,-16777217)")), "the least");
    assertFalse(image("(2097152,3,2):(4,6,16777234)").isSameSet(image("(2097152,3,2):(4,7,16777232)")),
        "the common divisor");
    assertFalse(huge.isSameSet(image("(0,3):(1,1)")), "an empty one");
    assertFalse(image("(0,3):(1,1)").isSameSet(huge), "to an empty one");
    assertThrows(SearchLimitException.class, () -> huge.isSameSet(image("(4194304,2,2):(2,1,16777219)")));
  }

  private static Image image(String layout) {
    return Image.of(Layout.parse(layout));
  }

  private static TreeSet<Long> offsets(Layout layout) {
    var offsets = new TreeSet<Long>();
    for (long offset : layout.offsets()) offsets.add(offset);
    return offsets;
  }
}
