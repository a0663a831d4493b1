package tilewright.layout.synthesis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;

/** Swizzled layouts of tables, against all swizzles of small fields. */
class SwizzledSynthesisTest {
  private static final List<Swizzle> BY_BITS = new ArrayList<>();

  static {
    for (int bits = 0; bits <= 4; bits++) {
      for (int base = 0; base <= 9; base++) {
        for (int shift = -9; shift <= 9; shift++) {
          boolean legal = Math.abs(shift) >= bits && bits + base + Math.abs(shift) <= 9;
          if (legal) BY_BITS.add(new Swizzle(bits, base, shift));
        }
      }
    }
  }

  /** Whether strides give these four offsets after the first. */
  private static boolean addsUp(Swizzle swizzle, long[] table) {
    return swizzle.apply(table[3]) - swizzle.apply(table[2]) == swizzle.apply(table[1]) - swizzle.apply(table[0]);
  }

  @Test
  void swizzlesAreFoundWithTheFewestBitsThatAnyNeeds() {
    int[] counts = new int[3];
    for (int code = 0; code < 4096; code++) {
      long[] table = {code % 8, code / 8 % 8, code / 64 % 8, code / 512};
      var fewest = BY_BITS.stream().filter(s -> addsUp(s, table)).findFirst().map(Swizzle::bits);
      switch (LayoutSynthesis.swizzled(table)) {
        case Decision.Defined<ComposedLayout>(var result, var certificate) -> {
          counts[result.swizzle().bits() == 0 ? 0 : 1]++;
          assertEquals(fewest.orElseThrow(), result.swizzle().bits(), () -> result + " for " + Arrays.toString(table));
          assertTrue(certificate.holds());
          for (int i = 0; i < 4; i++) assertEquals(table[i], result.apply(i));
        }
        case Decision.Undefined<ComposedLayout> undefined -> {
          counts[2]++;
          assertTrue(fewest.isEmpty(), undefined.message());
        }
      }
    }
    assertTrue(counts[0] > 100 && counts[1] > 100 && counts[2] > 100, counts[0] + ", " + counts[1] + ", " + counts[2]);
  }

  @Test
  void swizzledTilesAreFoundAgain() {
    for (var text : List.of("Sw<3,3,3>o0o(8,64):(64,1)", "Sw<2,0,3>o5o(4,8):(8,1)", "Sw<1,2,-3>o0o(8,4):(1,8)")) {
      var tile = OffsetMap.parse(text);
      var table = LongStream.range(0, tile.size()).map(tile::apply).toArray();
      var found = LayoutSynthesis.swizzled(table).orElseThrow();
      assertArrayEquals(table, LongStream.range(0, tile.size()).map(found::apply).toArray());
      assertTrue(found.swizzle().bits() <= ((ComposedLayout) tile).swizzle().bits(), found.toString());
    }
  }

  @Test
  void withoutASwizzleTheReasonIsThatOfTheTable() {
    // Offsets 0 and 1 twice each at bits that no swizzle tells apart: 0, 1, 1, 1 would be 0, 1, 1, 2.
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.swizzled(0, 1, 1, 1));
    assertEquals("swizzle of offset and layout of [0, 1, 1, 1]", undefined.operation());
    assertTrue(undefined.condition().contains("bit 62"), undefined.condition());
    assertEquals("none does, and without one the table has 1 at index 3 relative to 0", undefined.numbers());
    assertEquals(new Witness(IntTuple.of(3), 3, 1, 2), undefined.witness().orElseThrow());
  }

  @Test
  void negativeOffsetsHaveNoSwizzle() {
    assertEquals("Sw<0,0,0>o-2o3:1", LayoutSynthesis.swizzled(-2, -1, 0).orElseThrow().toString());
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.swizzled(0, 1, 3, -1));
    assertEquals("offset and layout of [0, 1, 3, -1]", undefined.operation());
  }

  @Test
  void fieldsThatEndAtBit62AreTried() {
    // Behind the swizzle 0, 1, 2^61 + 1 and their sum 2^61 + 2: bit 61 decides bit 0.
    long top = 1L << 61;
    var found = LayoutSynthesis.swizzled(0, 1, top, top + 3).orElseThrow();
    assertEquals("Sw<1,0,61>o0o(2,2):(1," + (top + 1) + ")", found.toString());
  }

  @Test
  void amongEqualBitsAndModesTheShortestShiftIsFound() {
    // Index bit 1 sets bit 2 and flips bit 0 on the way: shifts of 2 do, and so would a shift of 3 to a free bit.
    var found = LayoutSynthesis.swizzled(0, 1, 5, 4).orElseThrow();
    assertEquals("Sw<1,0,2>o0o(2,2):(1,4)", found.toString());
  }
}
