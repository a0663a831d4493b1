package tilewright.layout.synthesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

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
      var found = assertInstanceOf(Decision.Defined.class, LayoutSynthesis.coordinates(table));
      assertEquals(layout.coalesce(), found.result());
      assertTrue(found.certificate().holds(), found.certificate().explain());
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
  void coordinatesThatAreNoLayoutAtOnePlaceAreRefusedThere() {
    var table = List.of(at(0, 0), at(1, 0), at(0, 1), at(1, 3));
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.coordinates(table));
    assertTrue(undefined.message().startsWith("coordinate layout of 4 coordinates is undefined"), undefined.message());
    assertTrue(undefined.message().contains("the table has 3 at index 3 in coordinate layout of 4 coordinates at 1@1"),
        undefined.message());
    assertEquals(new Witness(IntTuple.of(3), 3, 3, 1), undefined.witness().orElseThrow());
  }

  @Test
  void anEmptyTableIsTheEmptyLayout() {
    assertEquals(0, LayoutSynthesis.layout().orElseThrow().size());
    assertEquals(0, LayoutSynthesis.offsetLayout().orElseThrow().size());
    assertEquals(0, LayoutSynthesis.coordinates(List.of()).orElseThrow().size());
    assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.xor());
  }

  @Test
  void xorLayoutsHaveAsManyElementsAsAPowerOfTwoAndNoNegativeOffsets() {
    var three = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.xor(0, 1, 2));
    assertTrue(three.message().contains("the table has a power of two of entries; it has 3"), three.message());
    var negative = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.xor(0, 1, -2, -1));
    assertTrue(negative.message().contains("offsets are at least 0; got -2"), negative.message());
    var carry = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.xor(0, 1, 3, 4));
    assertEquals(new Witness(IntTuple.of(3), 3, 4, 1 ^ 3), carry.witness().orElseThrow());
    assertTrue(carry.message().contains("the table has 4 at index 3"), carry.message());
  }

  @Test
  void tablesOfUpTo16OffsetsAreWrittenOut() {
    var table = new long[17];
    table[1] = 1;
    table[2] = 5;
    var shorter = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.layout(Arrays.copyOf(table, 16)));
    assertEquals("layout of [0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", shorter.operation());
    var longer = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.layout(table));
    assertEquals("layout of a table of 17 offsets", longer.operation());
  }
}
