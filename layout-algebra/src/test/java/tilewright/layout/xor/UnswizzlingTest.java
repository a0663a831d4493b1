package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.Layouts;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;

/** Swizzled layouts without their swizzles, against tables. */
class UnswizzlingTest {

  /** All with B ≤ 2, M ≤ 2 and |S| ≤ 3. */
  private static List<Swizzle> small() {
    var all = new ArrayList<Swizzle>();
    for (int bits = 0; bits <= 2; bits++) {
      for (int base = 0; base <= 2; base++) {
        for (int shift = -3; shift <= 3; shift++) {
          if (Math.abs(shift) >= bits) all.add(new Swizzle(bits, base, shift));
        }
      }
    }
    return all;
  }

  @Test
  void aSwizzledLayoutIsPlainExactlyWhereItsOffsetsAddUp() {
    int[] counts = new int[2];
    var layouts = new ArrayList<Layout>();
    for (var text : List.of("(4,2):(-1,4)", "(3,2):(1,4)", "(2,3):(8,1)")) layouts.add(Layout.parse(text));
    Layouts.each(2, 4, 3, layout -> {
      if (layout.flatShape()[0] != 3) layouts.add(layout);
    });
    for (var swizzle : small()) {
      for (var layout : layouts) {
        for (long offset : new long[] {0, 3}) {
          var map = new ComposedLayout(swizzle, offset, layout);
          var answer = Unswizzling.of(map);
          boolean plain = addsUp(map);
          if (answer instanceof Decision.Defined<ComposedLayout>(var result, var certificate)) {
            counts[0]++;
            assertTrue(plain && certificate.holds(), map + " is " + result);
            assertEquals(0, result.swizzle().bits());
            assertTrue(map.shape().isCompatibleWith(result.shape()));
            for (long i = 0; i < map.size(); i++) assertEquals(map.apply(i), result.apply(i), map + " is " + result);
          } else {
            counts[1]++;
            assertTrue(!plain, map + " is plain");
          }
        }
      }
    }
    assertTrue(counts[0] > 1000 && counts[1] > 300, counts[0] + " plain, " + counts[1] + " not");
  }

  /** For extents up to 4: whether some way to cut the leaves has strides that give these offsets. */
  private static boolean addsUp(ComposedLayout map) {
    var leaves = map.shape().flatten();
    for (int cut = 0; cut < 1 << leaves.length; cut++) {
      var extents = new ArrayList<Long>();
      for (int k = 0; k < leaves.length; k++) {
        if ((cut >> k & 1) == 1 && leaves[k] == 4) extents.addAll(List.of(2L, 2L));
        else extents.add(leaves[k]);
      }
      if (LongStream.range(0, map.size()).allMatch(i -> map.apply(i) == sum(map, extents, i))) return true;
    }
    return false;
  }

  private static long sum(ComposedLayout map, List<Long> extents, long index) {
    long sum = map.apply(0);
    long unit = 1;
    for (long extent : extents) {
      if (extent > 1) sum += index / unit % extent * (map.apply(unit) - map.apply(0));
      unit *= extent;
    }
    return sum;
  }

  @Test
  void theWitnessOfARefusalCountsFromTheFirstOffset() {
    // Offsets 4 to 7 of Sw<1,0,1> are 4, 5, 7, 6, so that index 2 has 3 after the first where strides give 2.
    var undefined = assertInstanceOf(Decision.Undefined.class,
        Unswizzling.of(((ComposedLayout) OffsetMap.parse("Sw<1,0,1>o4o3:1"))));
    assertEquals("Sw<1,0,1>o4o3:1 without its swizzle", undefined.operation());
    var witness = (Witness) undefined.witness().orElseThrow();
    assertEquals(2, witness.index());
    assertEquals(7 - 4, witness.demanded());
    assertTrue(undefined.numbers().endsWith("at index 2 relative to 4"), undefined.numbers());
  }

  @Test
  void tablesHaveAtMostTwoToThe24Elements() {
    var swizzle = Swizzle.parse("Sw<1,0,1>");
    var most = new ComposedLayout(swizzle, 0, Layout.parse("(8388608,2):(1,1)"));
    var refused = assertInstanceOf(Decision.Undefined.class, Unswizzling.of(most));
    assertTrue(refused.witness().isPresent(), refused.message());
    var more = new ComposedLayout(swizzle, 0, Layout.parse("16777217:1"));
    var open = assertInstanceOf(Decision.Undefined.class, Unswizzling.of(more));
    assertEquals("it has 16777217", open.numbers());
  }

  @Test
  void anEmptyLayoutIsPlain() {
    var plain = Unswizzling.of(((ComposedLayout) OffsetMap.parse("Sw<1,0,1>o3o(2,0):(1,2)")));
    assertEquals(0, plain.orElseThrow().size());
  }

  @Test
  void xorStridesBeginAtZero() {
    var map = (ComposedLayout) OffsetMap.parse("Sw<1,0,1>o2o(2,2):(4,8)");
    var undefined = assertInstanceOf(Decision.Undefined.class, Unswizzling.xor(map));
    assertEquals(new Witness(IntTuple.flat(0, 0), 0, 3, 0), undefined.witness().orElseThrow());
    assertEquals("it has 3", undefined.numbers());
    var inverse = assertInstanceOf(Decision.Undefined.class, Unswizzling.rightInverse(map));
    assertEquals("right inverse of " + map, inverse.operation());
    var carries = assertInstanceOf(Decision.Undefined.class, Unswizzling.xor(map.with(Layout.parse("(2,2):(2,2)"))));
    assertTrue(carries.operation().endsWith(" with XOR strides"), carries.operation());
  }
}
