package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LayoutSynthesisTest {

  /** Every table of that length with entries below {@code bound}. */
  private static void tables(int length, int bound, Consumer<long[]> law) {
    long count = 1;
    for (int i = 0; i < length; i++) count *= bound;
    for (long code = 0; code < count; code++) {
      var table = new long[length];
      long rest = code;
      for (int i = 0; i < length; i++, rest /= bound) table[i] = rest % bound;
      law.accept(table);
    }
  }

  private static List<List<Long>> factorisations(long n) {
    if (n == 1) return List.of(List.of());
    var all = new ArrayList<List<Long>>();
    for (long first = 2; first <= n; first++) {
      if (n % first != 0) continue;
      for (var rest : factorisations(n / first)) {
        var both = new ArrayList<>(List.of(first));
        both.addAll(rest);
        all.add(both);
      }
    }
    return all;
  }

  /** The fewest modes with which strides give these offsets after the first; empty when none do. */
  private static LongStream fewestModes(int size, LongUnaryOperator table) {
    return factorisations(size).stream().filter(extents -> {
      for (int i = 0; i < size; i++) {
        long sum = table.applyAsLong(0);
        int unit = 1;
        for (long extent : extents) {
          sum += i / unit % extent * (table.applyAsLong(unit) - table.applyAsLong(0));
          unit *= (int) extent;
        }
        if (sum != table.applyAsLong(i)) return false;
      }
      return true;
    }).mapToLong(List::size).sorted().limit(1);
  }

  @Test
  void aLayoutOfATableIsFoundExactlyWhereSomeFactorsHaveStridesForIt() {
    int[] counts = new int[2];
    for (int length : new int[] {1, 2, 3, 4, 6}) {
      tables(length, length == 6 ? 4 : 6, table -> {
        var fewest = fewestModes(length, i -> table[(int) i]).boxed().findFirst();
        switch (LayoutSynthesis.offsetLayout(table)) {
          case Decision.Defined<ComposedLayout>(var result, var certificate) -> {
            counts[0]++;
            assertTrue(fewest.isPresent() && certificate.holds());
            for (int i = 0; i < length; i++) assertEquals(table[i], result.apply(i));
            assertEquals(Math.max(1, fewest.get()), result.shape().leaves().count(), "minimal rank");
          }
          case Decision.Undefined<ComposedLayout> undefined -> {
            counts[1]++;
            assertTrue(fewest.isEmpty(), undefined.message());
            assertTrue(undefined.witness().isPresent());
          }
        }
        assertEquals(fewest.isPresent() && table[0] == 0, LayoutSynthesis.layout(table) instanceof Decision.Defined);
      });
    }
    assertTrue(counts[0] > 200 && counts[1] > 2000, counts[0] + " found, " + counts[1] + " not");
  }

  @Test
  void aTableThatIsNoLayoutIsRefusedAtItsFirstWrongIndex() {
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.layout(0, 1, 2, 4, 5, 7));
    assertEquals(new Witness(IntTuple.of(5), 5, 7, 6), undefined.witness().orElseThrow());
    assertTrue(undefined.message().contains("the table has 7 at index 5"), undefined.message());
  }

  @Test
  void theShapeCanBeGivenToRefine() {
    var table = Layout.parse("(4,(2,3)):(3,(1,20))").offsets();
    var first = LayoutSynthesis.layout(IntTuple.parse("(4,6)"), table).orElseThrow();
    var second = LayoutSynthesis.layout(IntTuple.parse("(8,3)"), table).orElseThrow();
    assertEquals("(4,(2,3)):(3,(1,20))", first.toString());
    assertEquals("((4,2),3):((3,1),20)", second.toString());
    assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.layout(IntTuple.parse("(3,8)"), table));
    assertThrows(IllegalArgumentException.class, () -> LayoutSynthesis.layout(IntTuple.parse("(3,7)"), table));
  }

  @Test
  void swizzlesAreFoundWithTheFewestBitsThatAnyNeeds() {
    int[] counts = new int[3];
    tables(4, 8, table -> {
      int fewest = fewestBits(table);
      switch (LayoutSynthesis.swizzled(table)) {
        case Decision.Defined<ComposedLayout>(var result, var certificate) -> {
          counts[result.swizzle().bits() == 0 ? 0 : 1]++;
          assertEquals(fewest, result.swizzle().bits(), () -> result + " for " + Arrays.toString(table));
          assertTrue(certificate.holds());
          for (int i = 0; i < 4; i++) assertEquals(table[i], result.apply(i));
        }
        case Decision.Undefined<ComposedLayout> undefined -> {
          counts[2]++;
          assertEquals(-1, fewest, undefined.message());
        }
      }
    });
    assertTrue(counts[0] > 100 && counts[1] > 100 && counts[2] > 100, counts[0] + ", " + counts[1] + ", " + counts[2]);
  }

  /** Over all swizzles whose fields end below bit 9. */
  private static int fewestBits(long[] table) {
    for (int bits = 0; bits <= 4; bits++) {
      for (int base = 0; base <= 9; base++) {
        for (int shift = -9; shift <= 9; shift++) {
          if (Math.abs(shift) < bits || bits + base + Math.abs(shift) > 9) continue;
          var swizzle = new Swizzle(bits, base, shift);
          if (fewestModes(4, i -> swizzle.apply(table[(int) i])).findAny().isPresent()) return bits;
        }
      }
    }
    return -1;
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
  void xorLayoutsAreFoundExactlyWhereBitsAddUpByXor() {
    int[] counts = new int[2];
    tables(4, 8, table -> {
      boolean linear = table[0] == 0 && table[3] == (table[1] ^ table[2]);
      if (LayoutSynthesis.xor(table) instanceof Decision.Defined<XorLayout>(var result, var certificate)) {
        counts[0]++;
        assertTrue(linear && certificate.holds());
        for (int i = 0; i < 4; i++) assertEquals(table[i], result.apply(i));
      } else {
        counts[1]++;
        assertTrue(!linear);
      }
    });
    assertEquals(64, counts[0]);
  }

  @Test
  void coordinatesAreFoundWithTheirPlaces() {
    for (var text : List.of("(4,(2,3)):(1@1,(2@0,1@1@2))", "6:1@0+2@1", "(2,3):(4,1@0)")) {
      var layout = CoordinateLayout.parse(text);
      var table = LongStream.range(0, layout.size()).mapToObj(layout::apply).toList();
      var found = LayoutSynthesis.coordinates(table).orElseThrow();
      assertEquals(layout.coalesce(), found);
    }
    var diagonal = List.of(at(0, 0), at(1, 0), at(0, 0), at(1, 1), at(0, 1), at(1, 1));
    assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.coordinates(diagonal));
  }

  @Test
  void placesThatCutAModeApartHaveNoCommonLayout() {
    var table = new ArrayList<ArithmeticTuple>();
    for (int i = 0; i < 6; i++) table.add(at(i % 2, i % 3));
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.coordinates(table));
    assertTrue(undefined.message().contains("cut at 2 and at 3"), undefined.message());
  }

  private static ArithmeticTuple at(long first, long second) {
    return ArithmeticTuple.of(first, 0).plus(ArithmeticTuple.of(second, 1));
  }

  @Test
  void aShapeGoesThroughFactsExactlyWhereIntegerStridesDo() {
    var shape = IntTuple.parse("(4,3)");
    int[] counts = new int[2];
    tables(3, 7, offsets -> {
      var facts = new LinkedHashMap<IntTuple, Long>();
      facts.put(IntTuple.flat(2, 0), offsets[0]);
      facts.put(IntTuple.flat(1, 2), offsets[1]);
      facts.put(IntTuple.of(7), offsets[2]);
      boolean exists = false;
      // 2·s = first, s + 2·t = second, 3·s + t = third.
      for (long s = -8; s <= 8; s++) {
        for (long t = -24; t <= 24; t++) {
          exists |= 2 * s == offsets[0] && s + 2 * t == offsets[1] && 3 * s + t == offsets[2];
        }
      }
      if (LayoutSynthesis.through(shape, facts) instanceof Decision.Defined<Layout>(var layout, var certificate)) {
        counts[0]++;
        assertTrue(exists && certificate.holds(), facts.toString());
        facts.forEach((coordinate, offset) -> assertEquals(offset, layout.apply(coordinate)));
      } else {
        counts[1]++;
        assertTrue(!exists, facts.toString());
      }
    });
    assertTrue(counts[0] > 3 && counts[1] > 100, counts[0] + " found, " + counts[1] + " not");
  }

  @Test
  void factsLeaveOtherOffsetsFree() {
    var facts = new TreeMap<>(Map.of(0L, 0L, 1L, 5L, 2L, 1L, 5L, 7L));
    var layout = LayoutSynthesis.through(facts).orElseThrow();
    facts.forEach((index, offset) -> assertEquals(offset, layout.apply(index)));
    assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.through(new TreeMap<>(Map.of(0L, 1L))));
  }
}
