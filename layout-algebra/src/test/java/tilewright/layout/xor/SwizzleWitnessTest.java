package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;

/** Where no swizzle does, an offset that the last one left gets wrong: none is right there and everywhere before. */
class SwizzleWitnessTest {
  private static final List<Swizzle> ALL = swizzles(4, 5, 6);

  private static List<Swizzle> swizzles(int bits, int base, int shift) {
    var all = new ArrayList<Swizzle>();
    for (int b = 0; b <= bits; b++) {
      for (int m = 0; m <= base; m++) {
        for (int s = -shift; s <= shift; s++) {
          if (Math.abs(s) >= b) all.add(new Swizzle(b, m, s));
        }
      }
    }
    return all;
  }

  @Test
  void twoSwizzlesThatAreNotOneDifferFromAnyOneUpToTheWitness() {
    int refusals = 0;
    for (var outer : swizzles(2, 1, 2)) {
      for (var inner : swizzles(2, 1, 2)) {
        if (!(outer.tryComposition(inner) instanceof Decision.Undefined<Swizzle> refused)) continue;
        refusals++;
        var witness = refused.witness().orElseThrow();
        assertEquals(IntTuple.of(witness.index()), witness.coordinate());
        assertRefutes(witness, i -> 1L << i, Long.numberOfTrailingZeros(witness.index()), x -> x,
            x -> outer.apply(inner.apply(x)));
      }
    }
    assertTrue(refusals > 50, refusals + " refusals");
  }

  @Test
  void aLayoutThatTakesASwizzleApartShowsWhere() {
    int refusals = 0;
    for (var text : List.of("(4,4):(4,1)", "(2,4):(1,4)", "(3,2):(2,1)", "(4,2):(1,1)", "(4,4):(1,8)", "6:1")) {
      var layout = Layout.parse(text);
      for (var inner : swizzles(2, 1, 3)) {
        if (!(SwizzleExchange.of(layout, inner) instanceof Decision.Undefined<ComposedLayout> refused)) continue;
        refusals++;
        var witness = refused.witness().orElseThrow();
        assertEquals(layout.coordinate(witness.index()), witness.coordinate());
        assertRefutes(witness, i -> i, witness.index(), layout::apply, i -> layout.apply(inner.apply(i)));
      }
    }
    assertTrue(refusals > 30, refusals + " refusals");
  }

  @Test
  void anOffsetBelowZeroIsShown() {
    var layout = Layout.parse("(2,2):(4,-3)");
    var refused = assertInstanceOf(Decision.Undefined.class, SwizzleExchange.of(layout, Swizzle.parse("Sw<1,0,1>")));
    assertEquals(new Witness(IntTuple.parse("(0,1)"), 2, 0, -3), refused.witness().orElseThrow());
    assertTrue(refused.message().contains("got -3"), refused.message());
  }

  /** No swizzle maps {@code from} to {@code to} at all places up to the witness's, and some does before it. */
  private static void assertRefutes(Witness witness, LongUnaryOperator index, long place, LongUnaryOperator from,
      LongUnaryOperator to) {
    assertEquals(witness.index(), index.applyAsLong(place));
    assertEquals(to.applyAsLong(witness.index()), witness.demanded());
    assertNotEquals(witness.demanded(), witness.given());
    boolean someIsGiven = false;
    for (var swizzle : ALL) {
      boolean before = true;
      for (long i = 0; i < place; i++) {
        long x = index.applyAsLong(i);
        before &= swizzle.apply(from.applyAsLong(x)) == to.applyAsLong(x);
      }
      long there = swizzle.apply(from.applyAsLong(witness.index()));
      assertTrue(!before || there != witness.demanded(), swizzle + " refutes " + witness);
      someIsGiven |= before && there == witness.given();
    }
    assertTrue(someIsGiven, "no swizzle gives " + witness);
  }
}
