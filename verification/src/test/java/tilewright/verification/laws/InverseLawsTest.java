package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Inverse;
import tilewright.layout.Layout;
import tilewright.layout.QuasiInverse;
import tilewright.layout.decision.Decision;

/** Inverses from the right, as long as can be, and from the left. */
class InverseLawsTest {

  @Test
  void theRightInverseIsTheLongestOfAnInjectiveLayout() {
    var law = new Law(9, "A(A‡(i)) = i; as far as 0, 1, 2, … are offsets of A if A is injective, no further if not");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      var inverse = layout.rightInverse();
      var table = Definition.table(layout);
      var places = Definition.table(inverse);
      for (int i = 0; i < places.length; i++) {
        assertTrue(places[i] < table.length, () -> inverse + " leaves " + layout);
        assertEquals(i, table[Math.toIntExact(places[i])], layout::toString);
      }
      int prefix = Tables.coveredPrefix(table);
      assertTrue(places.length <= prefix, layout::toString);
      if (Tables.isInjective(table)) assertEquals(prefix, places.length, layout::toString);
      return true;
    });
  }

  @Test
  void theRightInverseHoldsWithNegativeStrides() {
    var law = new Law(9, "A(A‡(i)) = i with strides of both signs");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var places = Definition.table(layout.rightInverse());
      for (int i = 0; i < places.length; i++) assertEquals(i, Definition.of(layout).at(places[i]), layout::toString);
      return true;
    });
  }

  @Test
  void bothInversesOfABijectionAreTheInverse() {
    var law = new Law(9, "A bijective onto 0…n−1: A‡ = A† as tables, and (A‡)‡ = coalesce A");
    law.holdsFor(Bound.LAYOUTS.toString(), 100, Bound.LAYOUTS.layouts(), layout -> {
      var table = Definition.table(layout);
      if (!Tables.isBijective(table)) return false;
      var inverse = new long[table.length];
      for (int i = 0; i < table.length; i++) inverse[Math.toIntExact(table[i])] = i;
      assertArrayEquals(inverse, Definition.table(layout.rightInverse()), layout::toString);
      var left = Definition.of(layout.leftInverse());
      assertArrayEquals(inverse, LongStream.range(0, table.length).map(left::at).toArray(), layout::toString);
      assertArrayEquals(table, Definition.table(layout.rightInverse().rightInverse()), layout::toString);
      return true;
    });
  }

  @Test
  void theLeftInverseUndoesTheLayout() {
    var law = new Law(10, "A†(A(i)) = i where it is defined; never for a layout that is not injective");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      var table = Definition.table(layout);
      if (!(Inverse.left(layout) instanceof Decision.Defined<Layout> defined)) return false;
      assertTrue(Tables.isInjective(table), layout::toString);
      var inverse = Definition.of(defined.result());
      for (int i = 0; i < table.length; i++) assertEquals(i, inverse.at(table[i]), () -> defined.toString());
      return true;
    });
  }

  @Test
  void everyInjectiveLayoutOnADivisibleChainHasALeftInverse() {
    var law = new Law(10, "A injective, each stride dividing the next larger one: A† is defined");
    law.holdsFor(Bound.LAYOUTS.toString(), 1_000, Bound.LAYOUTS.layouts(), layout -> {
      long[] strides = LongStream.of(Definition.of(layout).moving().stride()).sorted().toArray();
      for (int k = 1; k < strides.length; k++) {
        if (strides[k] % strides[k - 1] != 0) return false;
      }
      if (!Tables.isInjective(Definition.table(layout))) return false;
      assertTrue(Inverse.left(layout) instanceof Decision.Defined<Layout>, layout::toString);
      return true;
    });
  }

  @Test
  void theQuasiInverseFindsAnIndexOfEachOffset() {
    var law = new Law(10, "A(Q(A(i))) = A(i) for the quasi-inverse Q where it is defined");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      if (!(QuasiInverse.of(layout) instanceof Decision.Defined<Layout> defined)) return false;
      var inverse = Definition.of(defined.result());
      var definition = Definition.of(layout);
      for (long offset : definition.table()) {
        assertEquals(offset, definition.at(inverse.at(offset)), () -> layout + ": " + defined.result());
      }
      return true;
    });
  }

  private record Pair(Layout a, Layout b) {}

  @Test
  void whatTwoLayoutsHaveInCommonCountsInBoth() {
    var law = new Law(13, "a(R(i)) = b(R(i)) = i for R = max_common(a, b), of one size both ways round");
    var others = Bound.FACTORS.layouts().toList();
    var pairs = Bound.FACTORS.layouts().flatMap(a -> others.stream().map(b -> new Pair(a, b)));
    law.holdsFor("a and b: " + Bound.FACTORS, 10_000, pairs, pair -> {
      var common = Definition.table(pair.a().maxCommonLayout(pair.b()));
      for (int i = 0; i < common.length; i++) {
        assertEquals(i, Definition.of(pair.a()).at(common[i]), pair::toString);
        assertEquals(i, Definition.of(pair.b()).at(common[i]), pair::toString);
      }
      assertEquals(common.length, pair.b().maxCommonLayout(pair.a()).size(), pair::toString);
      return true;
    });
  }
}
