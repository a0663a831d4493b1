package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The run that two layouts share, against every layout that both undo. */
class LongestCommonRunTest {

  @Test
  void noLayoutThatBothUndoIsLonger() {
    var layouts = new ArrayList<Layout>();
    Layouts.each(2, 3, 3, layouts::add);
    for (var text : List.of("(2,2,2):(1,4,2)", "(2,2,2):(4,2,1)", "(4,2):(2,1)", "(2,4):(4,1)", "8:1", "(6,2):(1,6)")) {
      layouts.add(Layout.parse(text));
    }
    for (var a : layouts) {
      for (var b : layouts) {
        var common = a.maxCommonLayout(b);
        for (long i = 0; i < common.size(); i++) {
          long index = common.apply(i);
          assertTrue(index < a.size() && index < b.size(), a + " and " + b);
          assertEquals(i, a.apply(index), a + " and " + b);
          assertEquals(i, b.apply(index), a + " and " + b);
        }
        assertEquals(longest(a, b, List.of(0L)), common.size(), a + " and " + b);
      }
    }
  }

  /** Tries every stride and every extent for each further mode. */
  private static int longest(Layout a, Layout b, List<Long> places) {
    int best = places.size();
    long size = Math.min(a.size(), b.size());
    for (long stride = 1; stride < size; stride++) {
      var longer = new ArrayList<>(places);
      boolean undone = true;
      for (long digit = 1; undone; digit++) {
        for (long place : places) {
          long index = place + digit * stride;
          undone &= index < size && a.apply(index) == longer.size() && b.apply(index) == longer.size();
          longer.add(index);
        }
        if (undone) best = Math.max(best, longest(a, b, List.copyOf(longer)));
      }
    }
    return best;
  }
}
