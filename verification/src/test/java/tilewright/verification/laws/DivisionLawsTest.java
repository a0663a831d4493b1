package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Division;
import tilewright.layout.Layout;
import tilewright.layout.Product;
import tilewright.layout.Tiler;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Division by a tile and multiplication of a block. */
class DivisionLawsTest {
  private record Pair(Layout a, Layout b) {
    @Override
    public String toString() {
      return a + " by " + b;
    }
  }

  private static Stream<Pair> pairs(Bound left, Bound right) {
    var second = right.layouts().toList();
    return left.layouts().flatMap(a -> second.stream().map(b -> new Pair(a, b)));
  }

  private static LongStream through(Definition outer, long[] indices) {
    return LongStream.of(indices).map(outer::at);
  }

  @Test
  void divisionIsTheTileAndWhereItsCopiesBegin() {
    var law = new Law(11, "A⊘T = (A∘T, A∘begins of T's copies), A's offsets rearranged; undefined only if none is");
    law.holdsFor("A: " + Bound.LEFT + "; T: " + Bound.FACTORS, 10_000, pairs(Bound.LEFT, Bound.FACTORS), pair -> {
      var layout = Definition.of(pair.a());
      var tile = Definition.of(pair.b());
      var begins = Tables.tiling(tile.moving().table(), layout.size());
      switch (Division.logical(pair.a(), pair.b())) {
        case Decision.Defined<Layout> defined -> {
          var result = defined.result();
          assertEquals(2, result.rank());
          assertArrayEquals(through(layout, tile.table()).toArray(), Definition.table(result.mode(0)), pair::toString);
          assertArrayEquals(through(layout, begins.orElseThrow()).toArray(), Definition.table(result.mode(1)),
              pair::toString);
          boolean fits = begins.get().length * tile.moving().size() == layout.size();
          if (fits && tile.moving().size() == tile.size()) {
            assertArrayEquals(Tables.sorted(layout.table()), Tables.sorted(Definition.table(result)), pair::toString);
          }
        }
        case Decision.Undefined<Layout> undefined -> assertTrue(begins.isEmpty()
            || !isComposable(layout, tile, Tables.coalesced(begins.get())), undefined::message);
      }
      return true;
    });
  }

  /** Whether the outer layout at the sums of the two others is a layout over both shapes. */
  private static boolean isComposable(Definition outer, Definition first, Definition second) {
    var both = new Definition(concat(first.shape(), second.shape()), concat(first.stride(), second.stride()));
    return Tables.isLayoutOver(both.shape(), through(outer, both.table()).toArray());
  }

  private static long[] concat(long[] first, long[] second) {
    return LongStream.concat(LongStream.of(first), LongStream.of(second)).toArray();
  }

  @Test
  void divisionsByModeRegroupTheSameModes() {
    var law = new Law(11, "zipped, tiled and flat division hold the tiles and rests of each mode's division");
    var tiles = new Bound(1, 6, 1, 3).layouts().filter(t -> t.rank() == 1).map(t -> t.mode(0)).toList();
    var layouts = new Bound(2, 12, 0, 3).layouts().filter(a -> a.rank() == 2);
    var cases = layouts.flatMap(a -> tiles.stream().flatMap(t0 -> tiles.stream().map(t1 -> new Divided(a, t0, t1))));
    law.holdsFor("A: rank 2, size ≤ 12, strides ≤ 3; T: size ≤ 6, strides 1…3", 10_000, cases, c -> {
      if (!(Division.logical(c.a().mode(0), c.t0()) instanceof Decision.Defined<Layout> zero)
          || !(Division.logical(c.a().mode(1), c.t1()) instanceof Decision.Defined<Layout> one)) {
        return false;
      }
      var d0 = zero.result();
      var d1 = one.result();
      var tiler = Tiler.byMode(Tiler.of(c.t0()), Tiler.of(c.t1()));
      assertEquals(Layout.of(d0, d1), c.a().logicalDivide(tiler));
      assertEquals(Layout.of(Layout.of(d0.mode(0), d1.mode(0)), Layout.of(d0.mode(1), d1.mode(1))),
          c.a().zippedDivide(tiler));
      assertEquals(Layout.of(Layout.of(d0.mode(0), d1.mode(0)), d0.mode(1), d1.mode(1)), c.a().tiledDivide(tiler));
      assertEquals(Layout.of(d0.mode(0), d1.mode(0), d0.mode(1), d1.mode(1)), c.a().flatDivide(tiler));
      return true;
    });
  }

  private record Divided(Layout a, Layout t0, Layout t1) {}

  @Test
  void theProductLaysCopiesOutOverTheComplement() {
    var law = new Law(12, "A⊗B = (A, begins of A's copies ∘ B) as tables, undefined only where no layout is that");
    law.holdsFor("A: " + Bound.FACTORS + "; B: " + Bound.FACTORS, 10_000, pairs(Bound.FACTORS, Bound.FACTORS), pair -> {
      var copies = copies(pair);
      switch (Product.logical(pair.a(), pair.b())) {
        case Decision.Defined<Layout> defined -> {
          var result = defined.result();
          assertEquals(pair.a(), result.mode(0));
          assertArrayEquals(copies.orElseThrow(), Definition.table(result.mode(1)), pair::toString);
        }
        case Decision.Undefined<Layout> undefined -> assertTrue(copies.isEmpty()
            || !Tables.isLayoutOver(Definition.of(pair.b()).shape(), copies.get()), undefined::message);
      }
      return true;
    });
  }

  /** Where the copies begin that B picks. */
  private static Optional<long[]> copies(Pair pair) {
    var block = Definition.of(pair.a());
    var tiles = Definition.of(pair.b());
    return Tables.tiling(block.moving().table(), block.moving().size() * tiles.cosize())
        .map(begins -> LongStream.of(tiles.table()).map(i -> begins[Math.toIntExact(i)]).toArray());
  }

  @Test
  void productsOfInjectiveLayoutsAreInjective() {
    var law = new Law(12, "A, B injective ⇒ A⊗B injective; A compact ⇒ cosize(A⊗B) = cosize A · cosize B");
    law.holdsFor("A: " + Bound.FACTORS + "; B: " + Bound.FACTORS, 1_000, pairs(Bound.FACTORS, Bound.FACTORS), pair -> {
      if (!(Product.logical(pair.a(), pair.b()) instanceof Decision.Defined<Layout> defined)) return false;
      boolean injective = Tables.isInjective(Definition.table(pair.a()))
          && Tables.isInjective(Definition.table(pair.b()));
      if (injective) assertTrue(Tables.isInjective(Definition.table(defined.result())), pair::toString);
      if (!Tables.isBijective(Definition.table(pair.a()))) return injective;
      assertEquals(pair.a().cosize() * pair.b().cosize(), defined.result().cosize(), pair::toString);
      return true;
    });
  }

  @Test
  void blockedAndRakedProductsPairTheModes() {
    var bound = "rank 2; A: " + Bound.FACTORS + "; B: " + Bound.FACTORS;
    var law = new Law(12, "blocked and raked products are A⊗B at ((a0,b0),(a1,b1)) and ((b0,a0),(b1,a1))");
    law.holdsFor(bound, 1_000, pairs(Bound.FACTORS, Bound.FACTORS), pair -> {
      if (pair.a().rank() != 2 || pair.b().rank() != 2
          || !(Product.logical(pair.a(), pair.b()) instanceof Decision.Defined<Layout>)) {
        return false;
      }
      var block = Definition.of(pair.a());
      var copies = copies(pair).orElseThrow();
      long[] m = block.shape();
      long[] n = Definition.of(pair.b()).shape();
      var blocked = new long[block.size() * copies.length];
      var raked = new long[blocked.length];
      for (int i = 0; i < blocked.length; i++) {
        long[] c = digits(i, m[0], n[0], m[1], n[1]);
        blocked[i] = Definition.atDigits(new long[] {c[0], c[2]}, block.stride())
            + copies[Math.toIntExact(c[1] + c[3] * n[0])];
        c = digits(i, n[0], m[0], n[1], m[1]);
        raked[i] = Definition.atDigits(new long[] {c[1], c[3]}, block.stride())
            + copies[Math.toIntExact(c[0] + c[2] * n[0])];
      }
      assertArrayEquals(blocked, Definition.table(pair.a().blockedProduct(pair.b())), pair::toString);
      assertArrayEquals(raked, Definition.table(pair.a().rakedProduct(pair.b())), pair::toString);
      return true;
    });
  }

  private static long[] digits(long index, long... extents) {
    var digits = new long[extents.length];
    for (int k = 0; k < extents.length; k++) {
      digits[k] = index % extents[k];
      index /= extents[k];
    }
    return digits;
  }

  @Test
  void aBlockFillsAShape() {
    var law = new Law(16, "tile_to_shape(A, S): S's extents, A at the first block, injective where A is");
    var targets = Stream.of("(8,12)", "(6,6)", "(4,8)", "(12,2)").map(IntTuple::parse).toList();
    var blocks = new Bound(2, 12, 0, 12).layouts().filter(a -> a.rank() == 2).toList();
    var cases = blocks.parallelStream().flatMap(a -> targets.stream().map(s -> new Filled(a, s)));
    law.holdsFor("A: rank 2, size ≤ 12, strides ≤ 12; four shapes", 500, cases, c -> {
      var block = Definition.of(c.a());
      long[] target = Definition.leaves(c.target());
      if (target[0] % block.shape()[0] != 0 || target[1] % block.shape()[1] != 0) return false;
      var repeats = Layout.columnMajor(target[0] / block.shape()[0], target[1] / block.shape()[1]);
      if (!(Product.logical(c.a(), repeats) instanceof Decision.Defined<Layout>)) return false;
      var filled = c.a().tileToShape(c.target());
      assertEquals(target[0], filled.mode(0).size());
      assertEquals(target[1], filled.mode(1).size());
      for (int j = 0; j < block.shape()[1]; j++) {
        for (int i = 0; i < block.shape()[0]; i++) {
          assertEquals(Definition.atDigits(new long[] {i, j}, block.stride()),
              Definition.of(filled).at(i + target[0] * j), c::toString);
        }
      }
      if (Tables.isInjective(block.table())) {
        assertTrue(Tables.isInjective(Definition.table(filled)), () -> c + ": " + Arrays.toString(filled.offsets()));
      }
      return true;
    });
  }

  private record Filled(Layout a, IntTuple target) {}
}
