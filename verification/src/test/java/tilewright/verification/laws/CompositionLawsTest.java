package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Composition;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** R(i) = A(B(i)), and when there is such an R. */
class CompositionLawsTest {
  private record Pair(Layout a, Layout b) {
    @Override
    public String toString() {
      return a + " ∘ " + b;
    }

    /** A(B(i)) for all i, the last mode of A without bound. */
    long[] table() {
      var outer = Definition.of(a);
      return LongStream.of(Definition.table(b)).map(outer::at).toArray();
    }
  }

  private static Stream<Pair> pairs(Bound left, Bound right) {
    var inner = right.layouts().toList();
    return left.layouts().flatMap(a -> inner.stream().map(b -> new Pair(a, b)));
  }

  @Test
  void compositionIsDecidedExactly() {
    var law = new Law(5, "A∘B satisfies R(i) = A(B(i)) over B's shape, and is undefined only where no layout does");
    law.holdsFor("A: " + Bound.LEFT + "; B: " + Bound.RIGHT, 900_000, pairs(Bound.LEFT, Bound.RIGHT),
        CompositionLawsTest::isDecided);
  }

  @Test
  void compositionIsDecidedExactlyWhereGapsCancel() {
    var law = new Law(17, "closed form and table agree also where gaps of both signs cancel");
    law.holdsFor("A: " + Bound.DEEP + "; B: " + Bound.RIGHT, 900_000, pairs(Bound.DEEP, Bound.RIGHT),
        CompositionLawsTest::isDecided);
  }

  private static boolean isDecided(Pair pair) {
    var table = pair.table();
    switch (Composition.of(pair.a(), pair.b())) {
      case Decision.Defined<Layout> defined -> {
        var result = defined.result();
        assertArrayEquals(table, Definition.table(result), () -> pair + " = " + result);
        assertTrue(refines(result.shape(), pair.b().shape()), () -> pair + " = " + result);
        assertTrue(defined.certificate().holds(), () -> pair + ": " + defined.certificate().explain());
      }
      case Decision.Undefined<Layout> undefined -> {
        assertTrue(!Tables.isLayoutOver(Definition.leaves(pair.b().shape()), table), undefined::message);
        var witness = undefined.witness().orElseThrow(() -> new AssertionError(undefined.message()));
        assertEquals(table[Math.toIntExact(witness.index())], witness.demanded(), undefined::message);
        assertTrue(witness.demanded() != witness.given(), undefined::message);
      }
    }
    return true;
  }

  /** Whether the finer tree has at each integer of the coarser one a subtree of that size. */
  private static boolean refines(IntTuple finer, IntTuple coarser) {
    return switch (coarser) {
      case IntTuple.Leaf leaf -> Definition.product(Definition.leaves(finer)) == leaf.value();
      case IntTuple.Tuple tuple -> finer instanceof IntTuple.Tuple(List<IntTuple> modes)
          && modes.size() == tuple.elements().size()
          && IntStream.range(0, modes.size()).allMatch(k -> refines(modes.get(k), tuple.elements().get(k)));
    };
  }

  @Test
  void theIdentityIsNeutralOnBothSides() {
    var law = new Law(5, "A∘id ≡ A; id∘B ≡ B where B's offsets lie in id's domain");
    law.holdsFor(Bound.LAYOUTS.toString(), 10_000, Bound.LAYOUTS.layouts(), layout -> {
      var table = Definition.table(layout);
      assertArrayEquals(table, Definition.table(layout.composition(Layout.of(layout.size(), 1))), layout::toString);
      assertArrayEquals(table, Definition.table(Layout.of(Definition.of(layout).cosize(), 1).composition(layout)));
      return true;
    });
  }

  private record Triple(Layout a, Layout b, Layout c) {}

  @Test
  void compositionIsAssociativeWhereItIsDefined() {
    var small = Bound.TRIPLES.layouts().toList();
    var triples = small.parallelStream().flatMap(a -> small.stream()
        .flatMap(b -> small.stream().map(c -> new Triple(a, b, c))));
    var law = new Law(6, "(A∘B)∘C ≡ A∘(B∘C) where images lie in domains and A∘B, B∘C exist; neither side exists alone");
    law.holdsFor(Bound.TRIPLES.toString(), 10_000, triples, triple -> {
      if (!within(triple.b(), triple.a()) || !within(triple.c(), triple.b())) return false;
      var ab = result(Composition.of(triple.a(), triple.b()));
      var bc = result(Composition.of(triple.b(), triple.c()));
      if (ab.isEmpty() || bc.isEmpty()) return false;
      var left = result(Composition.of(ab.get(), triple.c()));
      var right = result(Composition.of(triple.a(), bc.get()));
      assertEquals(left.isPresent(), right.isPresent(), triple::toString);
      if (left.isEmpty()) return false;
      assertArrayEquals(Definition.table(left.get()), Definition.table(right.get()), triple::toString);
      return true;
    });
  }

  private static boolean within(Layout inner, Layout outer) {
    return LongStream.of(Definition.table(inner)).allMatch(x -> x < outer.size());
  }

  @Test
  void compositionByModeComposesEachModeWithItsTiler() {
    var law = new Law(7, "(A0,A1)∘⟨T0,T1⟩ = (A0∘T0,A1∘T1): A at (T0(i),T1(j))");
    var tiles = new Bound(1, 4, 0, 3).layouts().filter(t -> t.rank() == 1).map(t -> t.mode(0)).toList();
    var cases = new Bound(2, 12, 0, 4).layouts().filter(a -> a.rank() == 2)
        .flatMap(a -> tiles.stream().flatMap(t0 -> tiles.stream().map(t1 -> new Triple(a, t0, t1))));
    law.holdsFor("A: rank 2, size ≤ 12, strides ≤ 4; T: size ≤ 4, strides ≤ 3", 100_000, cases, c -> {
      var tiled = c.a().composition(Tiler.byMode(Tiler.of(c.b()), Tiler.of(c.c())));
      long[] stride = Definition.leaves(c.a().stride());
      var expected = new long[Math.toIntExact(c.b().size() * c.c().size())];
      int place = 0;
      for (long t1 : Definition.table(c.c())) {
        for (long t0 : Definition.table(c.b())) expected[place++] = t0 * stride[0] + t1 * stride[1];
      }
      assertArrayEquals(expected, Definition.table(tiled), c::toString);
      return true;
    });
  }

  private static Optional<Layout> result(Decision<Layout> decision) {
    return decision instanceof Decision.Defined<Layout> defined ? Optional.of(defined.result()) : Optional.empty();
  }
}
