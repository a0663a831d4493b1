package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Complement;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;

/** What fills the gaps between a layout's offsets, and when a layout does. */
class ComplementLawsTest {
  private static final int[] BOUNDS = {1, 24, 31};

  @Test
  void theComplementIsWhereCopiesBegin() {
    var law = new Law(8, "complement(A, M): the one way to tile 0…n−1, n ≥ M, with copies of A, undefined if none is");
    law.holdsFor(Bound.LAYOUTS + "; M: 1, 24, 31", 100_000, Bound.LAYOUTS.layouts(), layout -> {
      for (int bound : BOUNDS) isDecided(layout, bound);
      return true;
    });
    var small = new Bound(2, 9, 0, 12);
    law.holdsFor(small + "; M: 1…40", 100, small.layouts(), layout -> {
      for (int bound = 1; bound <= 40; bound++) isDecided(layout, bound);
      return true;
    });
  }

  private static void isDecided(Layout layout, int bound) {
    var begins = Tables.tiling(Definition.of(layout).moving().table(), bound);
    switch (Complement.of(layout, bound)) {
      case Decision.Defined<Layout> defined -> {
        var complement = defined.result();
        assertArrayEquals(begins.orElseThrow(), Definition.table(complement), () -> layout + ", " + bound);
        long[] strides = Definition.leaves(complement.stride());
        for (int k = 1; k < strides.length; k++) assertTrue(strides[k - 1] < strides[k], complement::toString);
        assertTrue(defined.certificate().holds(), () -> defined.certificate().explain());
      }
      case Decision.Undefined<Layout> undefined -> assertTrue(begins.isEmpty(), undefined::message);
    }
  }

  @Test
  void noComplementExistsBelowZero() {
    var law = new Law(8, "a layout that reaches below 0 has no complement");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      if (LongStream.of(Definition.of(layout).moving().stride()).noneMatch(d -> d < 0)) return false;
      assertTrue(Complement.of(layout, 24) instanceof Decision.Undefined<Layout>, layout::toString);
      return true;
    });
  }

  @Test
  void theComplementOfTheComplementSortsTheLayout() {
    var law = new Law(8, "complement(complement(A, M), M) has A's offsets in ascending order, if A's copies end at M");
    law.holdsFor(Bound.LAYOUTS + "; M: 24, 36, 48", 1_000, Bound.LAYOUTS.layouts(), layout -> {
      long[] ascending = LongStream.of(Definition.table(layout)).distinct().sorted().toArray();
      boolean speaks = false;
      for (int bound : new int[] {24, 36, 48}) {
        if (!(Complement.of(layout, bound) instanceof Decision.Defined<Layout> once)
            || once.result().size() * ascending.length != bound) {
          continue;
        }
        assertArrayEquals(ascending, Definition.table(once.result().complement(bound)), layout::toString);
        speaks = true;
      }
      return speaks;
    });
  }

  @Test
  void theComplementDependsOnTheSetOfModesOnly() {
    var law = new Law(8, "complement is the same after reversing modes, filtering and coalescing");
    law.holdsFor(Bound.LAYOUTS + "; M: 24", 1_000, Bound.LAYOUTS.layouts(), layout -> {
      if (!(Complement.of(layout, 24) instanceof Decision.Defined<Layout> defined)) return false;
      var variants = Stream.of(Layout.of(layout.modes().reversed()), layout.filter(), layout.coalesce());
      variants.forEach(variant -> assertEquals(defined.result(), variant.complement(24), layout::toString));
      return true;
    });
  }
}
