package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;

/** Swizzles against their definition on every index of a block, for all swizzles of small fields. */
class SwizzleAlgebraTest {

  /** All with B ≤ 3, M ≤ 2 and |S| ≤ 3. */
  private static List<Swizzle> small() {
    var all = new ArrayList<Swizzle>();
    for (int bits = 0; bits <= 3; bits++) {
      for (int base = 0; base <= 2; base++) {
        for (int shift = -3; shift <= 3; shift++) {
          if (Math.abs(shift) >= bits) all.add(new Swizzle(bits, base, shift));
        }
      }
    }
    return all;
  }

  private static int end(Swizzle swizzle) {
    return swizzle.bits() + swizzle.base() + Math.abs(swizzle.shift());
  }

  @Test
  void aSwizzleIsABijectionOfItsBlockAndItsOwnInverse() {
    for (var swizzle : small()) {
      var seen = new HashSet<Long>();
      for (long x = 0; x < 1L << end(swizzle); x++) {
        long y = swizzle.apply(x);
        assertTrue(y >= 0 && y < 1L << end(swizzle) && seen.add(y), swizzle + " at " + x);
        assertEquals(x, swizzle.inverse().apply(y));
        assertEquals(0, (x ^ y) & ~swizzle.writtenMask(), "bits outside Z stay");
        long read = x & swizzle.readMask();
        assertEquals(read ^ swizzle.apply(read), x ^ y, "only Y decides");
        assertEquals(y, swizzle.matrix(end(swizzle)).apply(x));
      }
    }
  }

  @Test
  void castingCountsInBlocks() {
    for (var swizzle : small()) {
      for (int k = 0; k <= 4; k++) {
        var up = swizzle.upcast(1L << k);
        var down = swizzle.downcast(1L << k);
        for (long x = 0; x < 256; x++) {
          assertEquals(swizzle.apply(x << k) >> k, up.apply(x), swizzle + " by 2^" + k);
          if (k <= swizzle.base()) assertEquals(swizzle.apply(x) >> k, up.apply(x >> k), "below M nothing is lost");
          assertEquals(swizzle.apply(x), down.apply(x << k) >> k, swizzle + " by 2^" + k);
          assertEquals(swizzle.apply(x >> k) << k, down.apply(x) >> k << k, "blocks move as wholes");
        }
        assertEquals(swizzle, down.upcast(1L << k));
        assertEquals(up, swizzle.recast(8, 8L << k));
        assertEquals(down, swizzle.recast(8L << k, 8));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> Swizzle.parse("Sw<3,4,3>").upcast(3));
    assertEquals(new Swizzle(3, 1, 3), Swizzle.parse("Sw<3,4,3>").recast(1, 8));
    assertEquals(new Swizzle(3, 7, 3), Swizzle.parse("Sw<3,4,3>").recast(8, 1));
    for (var widths : List.of(List.of(6L, 8L), List.of(0L, 8L), List.of(8L, 0L), List.of(8L, -8L), List.of(-8L, 8L),
        List.of(0L, 0L))) {
      assertThrows(IllegalArgumentException.class,
          () -> Swizzle.parse("Sw<3,4,3>").recast(widths.getFirst(), widths.getLast()), widths.toString());
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"Sw<1,0,3>|Sw<1,1,3>|Sw<2,0,3>", "Sw<2,0,3>|Sw<2,0,3>|Sw<0,0,0>",
      "Sw<2,3,4>|Sw<3,2,4>|Sw<1,2,4>", "Sw<3,2,-3>|Sw<2,3,-3>|Sw<1,2,-3>"})
  void swizzlesMergeAsInCute(String outer, String inner, String both) {
    assertEquals(Swizzle.parse(both), Swizzle.parse(outer).tryComposition(Swizzle.parse(inner)).orElseThrow());
  }

  @Test
  void twoSwizzlesAreOneExactlyWhereSomeSwizzleHasTheirValues() {
    // One whose field ends above both would change bits that both leave alone.
    var candidates = new ArrayList<Swizzle>();
    for (int bits = 0; bits <= 6; bits++) {
      for (int base = 0; base <= 8; base++) {
        for (int shift = -8; shift <= 8; shift++) {
          boolean legal = Math.abs(shift) >= bits && bits + base + Math.abs(shift) <= 8;
          if (legal) candidates.add(new Swizzle(bits, base, shift));
        }
      }
    }
    int[] counts = new int[2];
    for (var outer : small()) {
      for (var inner : small()) {
        boolean exists = candidates.stream().anyMatch(s -> agree(256, s::apply, x -> outer.apply(inner.apply(x))));
        switch (outer.tryComposition(inner)) {
          case Decision.Defined<Swizzle>(var both, var certificate) -> {
            counts[0]++;
            assertTrue(certificate.holds());
            assertTrue(agree(256, both::apply, x -> outer.apply(inner.apply(x))), outer + " ∘ " + inner + " = " + both);
          }
          case Decision.Undefined<Swizzle> undefined -> {
            counts[1]++;
            assertTrue(!exists, undefined.message());
          }
        }
      }
    }
    assertTrue(counts[0] > 300 && counts[1] > 300, counts[0] + " defined, " + counts[1] + " not");
  }

  private static boolean agree(long size, LongUnaryOperator a, LongUnaryOperator b) {
    for (long i = 0; i < size; i++) {
      if (a.applyAsLong(i) != b.applyAsLong(i)) return false;
    }
    return true;
  }

  @Test
  void operationsActBehindTheSwizzle() {
    var tile = (ComposedLayout) OffsetMap.parse("Sw<3,3,3>o512o(8,64):(64,1)");
    var divided = tile.zippedDivide(Tiler.parse("[4:1;16:1]"));
    for (long t = 0; t < 64; t++) {
      for (long r = 0; r < 8; r++) {
        var whole = IntTuple.flat(t % 4 + r % 2 * 4, t / 4 + r / 2 * 16);
        assertEquals(tile.apply(whole), divided.apply(IntTuple.flat(t, r)));
      }
    }
    var rows = tile.composition(Layout.parse("4:2"));
    for (long i = 0; i < 4; i++) assertEquals(tile.apply(2 * i), rows.apply(i));
    assertEquals(tile.with(Layout.parse("(8,64):(64,1)")), tile.coalesce());
    assertEquals("Sw<0,0,0>o512o(8,64):(64,1)", tile.trySwizzle(tile.swizzle()).orElseThrow().toString());
  }

  @Test
  void aSliceKeepsTheOffsetBeforeTheSwizzle() {
    for (var swizzle : small()) {
      var tile = new ComposedLayout(swizzle, 2, Layout.parse("(4,(2,3)):(6,(3,1))"));
      for (long x = 0; x < 4; x++) {
        var row = tile.slice(SliceCoordinate.parse("(" + x + ",_)"));
        for (long y = 0; y < 6; y++) assertEquals(tile.apply(IntTuple.flat(x, y)), row.apply(y), row.toString());
      }
      for (long y = 0; y < 6; y++) {
        var column = tile.slice(SliceCoordinate.parse("(_,(" + y % 2 + "," + y / 2 + "))"));
        for (long x = 0; x < 4; x++) assertEquals(tile.apply(IntTuple.flat(x, y)), column.apply(x), column.toString());
      }
    }
  }

  @Test
  void castTilesAddressTheSameElements() {
    int[] counts = new int[2];
    for (var swizzle : small()) {
      for (long n : new long[] {1, 2, 4}) {
        var tile = new ComposedLayout(swizzle, 8, Layout.parse("(8,4):(1,8)"));
        var down = SwizzledCast.down(tile, n).orElseThrow();
        boolean together = true;
        for (long x = 0; x < 8; x++) {
          for (long y = 0; y < 4; y++) {
            long offset = tile.apply(IntTuple.flat(x, y));
            for (long part = 0; part < n; part++) {
              assertEquals(n * offset + part, down.apply(IntTuple.flat(n * x + part, y)), down.toString());
            }
            together &= offset / n == tile.apply(IntTuple.flat(x / n * n, y)) / n;
          }
        }
        if (SwizzledCast.up(tile, n) instanceof Decision.Defined<ComposedLayout>(var up, _)) {
          counts[0]++;
          for (long x = 0; x < 8; x++) {
            for (long y = 0; y < 4; y++) {
              assertEquals(tile.apply(IntTuple.flat(x, y)) / n, up.apply(IntTuple.flat(x / n, y)), up.toString());
            }
          }
        } else {
          counts[1]++;
          assertTrue(!together, tile + " by " + n);
        }
      }
    }
    assertTrue(counts[0] > 80 && counts[1] > 5, counts[0] + " cast, " + counts[1] + " not");
    assertInstanceOf(Decision.Undefined.class,
        SwizzledCast.up(new ComposedLayout(Swizzle.IDENTITY, 3, Layout.parse("8:1")), 2));
  }

  @Test
  void aSwizzledTileIsInvertedBitByBit() {
    var tile = (ComposedLayout) OffsetMap.parse("Sw<2,1,3>o0o(8,16):(16,1)");
    var inverse = Unswizzling.rightInverse(tile).orElseThrow();
    assertEquals(128, inverse.size());
    for (long i = 0; i < 128; i++) assertEquals(i, tile.apply(inverse.apply(i)));
    var apart = (ComposedLayout) OffsetMap.parse("Sw<2,0,3>o0o(4,4):(2,16)");
    var left = Unswizzling.leftInverse(apart).orElseThrow();
    for (long i = 0; i < 16; i++) assertEquals(i, left.apply(apart.apply(i)));
    assertInstanceOf(Decision.Undefined.class, Unswizzling.leftInverse(apart.with(Layout.parse("(4,4):(1,3)"))));
  }

  @Test
  void theReachOfASwizzledLayoutIsThatOfItsLargestOffset() {
    var layouts = List.of("3:1", "(8,8):(8,1)", "(2,2):(1,1)", "(4,2):(-1,4)", "(2,3):(16,1)", "8:2", "0:1", "():()");
    for (var swizzle : small()) {
      for (var text : layouts) {
        for (long offset : new long[] {3, 4, 7}) {
          var map = new ComposedLayout(swizzle, offset, Layout.parse(text));
          long largest = -1;
          for (long i = 0; i < map.size(); i++) largest = Math.max(largest, map.apply(i));
          assertEquals(largest + 1, SwizzledReach.of(map), map.toString());
        }
      }
    }
    assertEquals(4, SwizzledReach.of(new ComposedLayout(Swizzle.parse("Sw<1,0,1>"), 0, Layout.parse("3:1"))));
  }
}
