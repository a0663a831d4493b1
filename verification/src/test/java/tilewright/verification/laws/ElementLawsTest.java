package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Casting;
import tilewright.layout.CompactOrder;
import tilewright.layout.Distribution;
import tilewright.layout.Layout;
import tilewright.layout.Recast;
import tilewright.layout.ZeroStrides;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Elements of other widths, indices that offsets do not depend on, and compact strides in an order. */
class ElementLawsTest {

  @Test
  void theNullspaceIsWhereLiteralZerosLead() {
    var law = new Law(4, "A(nullspace A) = 0, injective, of size A / size filter A; the nullspace of it is 1:0");
    law.holdsFor(Bound.SIGNED.toString(), 10_000, Bound.SIGNED.layouts(), layout -> {
      var definition = Definition.of(layout);
      var nullspace = ZeroStrides.nullspace(layout);
      var indices = Definition.table(nullspace);
      assertTrue(Tables.isInjective(indices), layout::toString);
      for (long i : indices) {
        assertTrue(i < definition.size(), layout::toString);
        assertEquals(0, definition.at(i), layout::toString);
      }
      assertEquals(definition.size(), indices.length * definition.moving().size(), layout::toString);
      assertEquals(1, ZeroStrides.nullspace(nullspace).size(), layout::toString);
      return true;
    });
  }

  @Test
  void partsOfElementsFollowEachOther() {
    var law = new Law(14, "downcast_n(A) reaches n·A(i) + 0…n−1, and upcast_n(downcast_n(A)) = A");
    law.holdsFor(Bound.SIGNED + "; n: 2, 3, 4", 10_000, Bound.SIGNED.layouts(), layout -> {
      boolean speaks = false;
      for (long n = 2; n <= 4; n++) {
        if (!(Recast.down(layout, n, Casting.EXACT) instanceof Decision.Defined<Layout> parts)) continue;
        long width = n;
        var expected = LongStream.of(Definition.table(layout))
            .flatMap(x -> LongStream.range(x * width, (x + 1) * width)).toArray();
        assertArrayEquals(Tables.sorted(expected), Tables.sorted(Definition.table(parts.result())), layout::toString);
        var back = Recast.up(parts.result(), n, Casting.EXACT);
        if (back instanceof Decision.Defined<Layout> vectors) {
          assertArrayEquals(Definition.table(layout), Definition.table(vectors.result()), layout::toString);
          speaks = true;
        }
      }
      return speaks;
    });
  }

  @Test
  void vectorsAreThoseOfTheirElements() {
    var law = new Law(14, "upcast_n(A), exact, reaches every ⌊A(i)/n⌋; lossless, nothing else");
    law.holdsFor(Bound.LAYOUTS + "; n: 2, 3, 4", 10_000, Bound.LAYOUTS.layouts(), layout -> {
      boolean speaks = false;
      for (long n = 2; n <= 4; n++) {
        long width = n;
        var reached = LongStream.of(Definition.table(layout)).map(x -> Math.floorDiv(x, width)).distinct().sorted()
            .toArray();
        if (Recast.up(layout, n, Casting.LOSSLESS) instanceof Decision.Defined<Layout> vectors) {
          var image = LongStream.of(Definition.table(vectors.result())).distinct().sorted().toArray();
          assertArrayEquals(reached, image, () -> layout + ": " + vectors.result());
          speaks = true;
        }
        if (Recast.up(layout, n, Casting.EXACT) instanceof Decision.Defined<Layout> vectors) {
          var image = LongStream.of(Definition.table(vectors.result())).boxed().toList();
          assertTrue(LongStream.of(reached).allMatch(image::contains), () -> layout + ": " + vectors.result());
        }
      }
      return speaks;
    });
  }

  @Test
  void upcastsInTwoStepsAreOne() {
    var law = new Law(14, "upcast_m(upcast_n(A)) = upcast_mn(A) where all three are defined");
    law.holdsFor(Bound.LAYOUTS + "; m, n: 2, 3", 10_000, Bound.LAYOUTS.layouts(), layout -> {
      boolean speaks = false;
      for (long n = 2; n <= 3; n++) {
        for (long m = 2; m <= 3; m++) {
          if (Recast.up(layout, n, Casting.EXACT) instanceof Decision.Defined<Layout> first
              && Recast.up(first.result(), m, Casting.EXACT) instanceof Decision.Defined<Layout> second
              && Recast.up(layout, m * n, Casting.EXACT) instanceof Decision.Defined<Layout> both) {
            assertArrayEquals(Definition.table(second.result()), Definition.table(both.result()), layout::toString);
            speaks = true;
          }
        }
      }
      return speaks;
    });
  }

  @Test
  void compactStridesInAnyOrderAreBijective() {
    var law = new Law(16, "strides compact in an order, or like A's, are bijective, in that order, but for strides 0");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      var ordered = Layout.ordered(layout.shape(), layout.stride());
      assertTrue(Tables.isBijective(Definition.table(ordered)), layout::toString);
      var like = Definition.of(CompactOrder.like(layout));
      assertArrayEquals(Definition.leaves(layout.shape()), like.shape());
      long[] strides = Definition.leaves(layout.stride());
      for (int k = 0; k < strides.length; k++) {
        if (like.shape()[k] > 1) assertEquals(strides[k] == 0, like.stride()[k] == 0, layout::toString);
        for (int other = 0; other < strides.length; other++) {
          boolean below = strides[k] < strides[other] && like.shape()[k] > 1 && like.shape()[other] > 1;
          if (below) assertTrue(like.stride()[k] < like.stride()[other], layout::toString);
        }
      }
      assertTrue(Tables.isBijective(like.moving().table()), layout::toString);
      return true;
    });
  }

  @Test
  void distributionStaysWithinEachExtent() {
    var law = new Law(16, "domain_distribute(S, n) picks distinct coordinates, as many as n shares with the extents");
    var cases = Bound.LAYOUTS.layouts().map(Layout::shape).distinct();
    law.holdsFor("all shapes of rank ≤ 3, size ≤ 24; n: 1…24", 100, cases, ElementLawsTest::distributes);
  }

  private static boolean distributes(IntTuple shape) {
    for (long n = 1; n <= 24; n++) {
      long left = n;
      long count = 1;
      for (long extent : Definition.leaves(shape)) {
        long common = gcd(extent, left);
        count *= common;
        left /= common;
      }
      var indices = Definition.table(Distribution.of(shape, n));
      assertEquals(count, indices.length, shape::toString);
      assertTrue(Tables.isInjective(indices), shape::toString);
      assertTrue(LongStream.of(indices).allMatch(i -> i < Definition.product(Definition.leaves(shape))));
    }
    return true;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
