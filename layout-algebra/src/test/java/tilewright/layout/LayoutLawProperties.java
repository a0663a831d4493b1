package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** The laws of the algebra, each against the definition: tables of offsets. Exhaustive where small, random beyond. */
class LayoutLawProperties {

  @Property
  void aCoordinateAndItsIndexHaveTheSameOffset(@ForAll("layouts") Layout layout) {
    for (long i = 0; i < layout.size(); i++) {
      var coordinate = layout.coordinate(i);
      assertTrue(coordinate.isCongruentTo(layout.shape()));
      assertEquals(layout.apply(i), layout.apply(coordinate));
      assertEquals(i, Layout.columnMajor(layout.shape()).apply(coordinate), "indices count colexicographically");
    }
  }

  @Property
  void whatIsPrintedCanBeRead(@ForAll("layouts") Layout layout) {
    assertEquals(layout, Layout.parse(layout.toString()));
  }

  @Example
  void coalescingIsTheUniqueNormalForm() {
    Layouts.each(3, 3, 5, layout -> {
      var normal = layout.coalesce();
      assertArrayEquals(layout.offsets(), normal.offsets());
      assertEquals(normal, normal.coalesce());
      long[] shape = normal.flatShape();
      long[] stride = normal.flatStride();
      for (int i = 0; i < shape.length; i++) {
        assertTrue(shape[i] > 1 || layout.size() == 1, () -> normal + " has a mode of extent 1");
        assertTrue(i == 0 || shape[i - 1] * stride[i - 1] != stride[i], () -> normal + " could be shorter");
      }
    });
  }

  @Example
  void compositionIsDefinedExactlyWhereATableOfOffsetsIsALayout() {
    int[] counts = new int[2];
    Layouts.each(2, 4, 4, outer -> Layouts.each(2, 3, 4, inner -> {
      var offsets = LongStream.of(inner.offsets()).map(outer::apply).toArray();
      switch (Composition.of(outer, inner)) {
        case Decision.Defined<Layout>(var result, var certificate) -> {
          assertTrue(certificate.holds(), certificate::explain);
          counts[0]++;
          assertArrayEquals(offsets, result.offsets(), () -> outer + " ∘ " + inner + " = " + result);
          assertTrue(inner.shape().isCompatibleWith(result.shape()));
        }
        case Decision.Undefined<Layout> undefined -> {
          counts[1]++;
          assertTrue(!hasLayout(inner, offsets), undefined::message);
        }
      }
    }));
    assertTrue(counts[0] > 1000 && counts[1] > 100, () -> Arrays.toString(counts));
  }

  /**
   * Whether some layout that refines the shape has these offsets: each mode's own must be a layout's, and they must
   * add up.
   */
  private static boolean hasLayout(Layout inner, long[] offsets) {
    long[] shape = inner.flatShape();
    var modes = new Layout[shape.length];
    long step = 1;
    for (int mode = 0; mode < shape.length; mode++) {
      long from = step;
      var found = Synthesis.of(shape[mode], k -> offsets[Math.toIntExact(k * from)]);
      if (found.isEmpty()) return false;
      modes[mode] = found.get();
      step *= shape[mode];
    }
    return Arrays.equals(offsets, Layout.of(modes).offsets());
  }

  @Property
  void compositionIsAssociativeWhereItIsDefined(@ForAll("compact") Layout a, @ForAll("compact") Layout b,
      @ForAll("compact") Layout c) {
    Assume.that(c.cosize() <= b.size() && b.cosize() <= a.size());
    if (Composition.of(a, b) instanceof Decision.Defined(var ab, var _)
        && Composition.of(b, c) instanceof Decision.Defined(var bc, var _)
        && Composition.of(ab, c) instanceof Decision.Defined(var left, var _)
            && Composition.of(a, bc) instanceof Decision.Defined(var right, var _)) {
      assertArrayEquals(left.offsets(), right.offsets());
    }
  }

  @Example
  void theComplementIsOrderedDisjointAndTilesTheBound() {
    Layouts.each(2, 4, 9, layout -> {
      if (!(Complement.of(layout, 24) instanceof Decision.Defined(var complement, var _))) return;
      long[] strides = complement.flatStride();
      for (int i = 1; i < strides.length; i++) assertTrue(strides[i - 1] < strides[i]);
      var both = LongStream.of(Layout.of(layout.filter(), complement).offsets()).sorted().toArray();
      assertArrayEquals(LongStream.range(0, both.length).toArray(), both, () -> layout + " with " + complement);
      assertTrue(both.length >= 24);
    });
  }

  /** An injective layout off the chain has no tiling complement at all (de Bruijn): refusing is right. */
  @Example
  void withoutAComplementNoTranslatesTileAnyLength() {
    Layouts.each(2, 4, 9, layout -> {
      long[] offsets = LongStream.of(layout.filter().offsets()).sorted().toArray();
      boolean injective = LongStream.of(offsets).distinct().count() == offsets.length;
      if (injective && Complement.of(layout, 1) instanceof Decision.Undefined<Layout> undefined) {
        assertTrue(!tilesSomeLength(offsets, 160), undefined::message);
      }
    });
  }

  /** Puts translates at the first gap, which is forced, until none is left or two overlap. */
  private static boolean tilesSomeLength(long[] offsets, int limit) {
    var taken = new boolean[limit + Math.toIntExact(offsets[offsets.length - 1]) + 1];
    int end = 0;
    for (int at = 0; at < limit; at++) {
      if (taken[at]) continue;
      for (long offset : offsets) {
        int place = Math.toIntExact(at + offset);
        if (taken[place]) return false;
        taken[place] = true;
        end = Math.max(end, place + 1);
      }
      boolean full = true;
      for (int i = 0; i < end; i++) full &= taken[i];
      if (full) return true;
    }
    return false;
  }

  @Property
  void divisionRearrangesAndItsFirstModeIsTheTile(@ForAll("compact") Layout layout, @ForAll("compact") Layout tile) {
    Assume.that(layout.size() % Math.max(1, tile.size()) == 0 && tile.cosize() <= layout.size());
    if (Composition.of(layout, tile) instanceof Decision.Defined(var inTile, var _)
        && Division.logical(layout, tile) instanceof Decision.Defined(var divided, var _)) {
      assertEquals(2, divided.rank());
      assertArrayEquals(inTile.offsets(), divided.mode(0).offsets());
      if (divided.size() == layout.size()) {
        assertArrayEquals(LongStream.of(layout.offsets()).sorted().toArray(), LongStream.of(divided.offsets())
            .sorted().toArray());
      }
    }
  }

  @Property
  void productsBeginWithTheBlockAndCoverCompactly(@ForAll("compact") Layout block, @ForAll("compact") Layout tiles) {
    Assume.that(block.size() * tiles.size() <= 2000);
    var product = block.logicalProduct(tiles);
    assertEquals(block, product.mode(0));
    assertTrue(tiles.shape().isCompatibleWith(product.mode(1).shape()));
    assertArrayEquals(LongStream.range(0, block.size() * tiles.size()).toArray(), LongStream.of(product.offsets())
        .sorted().toArray());
  }

  @Property
  void blockedAndRakedProductsRegroupTheSameOffsets(@ForAll("compact") Layout block, @ForAll("compact") Layout tiles) {
    Assume.that(block.size() * tiles.size() <= 2000);
    var expected = LongStream.range(0, block.size() * tiles.size()).toArray();
    assertArrayEquals(expected, LongStream.of(block.blockedProduct(tiles).offsets()).sorted().toArray());
    assertArrayEquals(expected, LongStream.of(block.rakedProduct(tiles).offsets()).sorted().toArray());
  }

  @Example
  void theRightInverseIsTheLongestForInjectiveLayouts() {
    Layouts.each(3, 3, 6, layout -> {
      var inverse = layout.rightInverse();
      for (long i = 0; i < inverse.size(); i++) assertEquals(i, layout.apply(inverse.apply(i)));
      long[] offsets = LongStream.of(layout.offsets()).sorted().toArray();
      if (LongStream.of(offsets).distinct().count() == offsets.length) {
        int prefix = 0;
        while (prefix < offsets.length && offsets[prefix] == prefix) prefix++;
        assertEquals(prefix, inverse.size(), layout::toString);
      }
    });
  }

  @Property
  void inversesOfCompactLayoutsUndoThem(@ForAll("compact") Layout layout) {
    var left = layout.leftInverse();
    var right = layout.rightInverse();
    for (long i = 0; i < layout.size(); i++) {
      assertEquals(i, left.apply(layout.apply(i)));
      assertEquals(i, layout.apply(right.apply(i)));
    }
  }

  @Example
  void leftInversesUndoWheneverTheyAreDefined() {
    Layouts.each(2, 4, 9, layout -> {
      if (Inverse.left(layout) instanceof Decision.Defined(var left, var _)) {
        for (long i = 0; i < layout.size(); i++) assertEquals(i, left.apply(layout.apply(i)), layout + " and " + left);
      }
    });
  }

  @Property
  void swizzlesAreTheirOwnInverseAndKeepTheirBlock(@ForAll @IntRange(max = 4) int bits,
      @ForAll @IntRange(max = 4) int base, @ForAll @IntRange(max = 3) int further, @ForAll boolean down) {
    var swizzle = new Swizzle(bits, base, (down ? -1 : 1) * (bits + further));
    long block = 1L << 2 * bits + further + base;
    var seen = new boolean[Math.toIntExact(block)];
    for (int x = 0; x < block; x++) {
      int y = Math.toIntExact(swizzle.apply(x));
      assertEquals(x, swizzle.apply(y));
      assertTrue(!seen[y]);
      seen[y] = true;
    }
    assertEquals(swizzle, Swizzle.parse(swizzle.toString()));
  }

  @Provide
  Arbitrary<Layout> layouts() {
    return Layouts.any();
  }

  @Provide
  Arbitrary<Layout> compact() {
    return Layouts.compact();
  }
}
