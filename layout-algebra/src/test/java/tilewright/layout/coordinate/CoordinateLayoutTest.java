package tilewright.layout.coordinate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Composition;
import tilewright.layout.Layout;
import tilewright.layout.Layouts;
import tilewright.layout.decision.Decision;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.tuple.IntTuple;

class CoordinateLayoutTest {

  @ParameterizedTest
  @ValueSource(strings = {"(4,8):(1@0,1@1)", "4:1", "(2,(3,4)):(1@0,(1@0@1,1@1@1))", "((4,8),2):((2@1,1@0),1@1)",
      "(2,2):(0,1@0)", "(1,4):(4@1@0@0,-1@0)", "3:1@0+2@1", "():()"})
  void coordinateLayoutsAreReadAndPrintedAlike(String text) {
    assertEquals(text, CoordinateLayout.parse(text).toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(4,8):(1@,1@1)|10|an integer",
      "4:1@-1|5|the index of a mode", "(4,8):1@0|6|strides with the tree", "4|1|a shape and strides",
      "-4:1@0|1|extents of at least 0", "4:1@0+|7|an integer"})
  void mistakesAreNamedWithTheirColumn(String text, int column, String expected) {
    var e = assertThrows(LayoutSyntaxException.class, () -> CoordinateLayout.parse(text));
    assertTrue(e.getMessage().startsWith("column " + column + " "), e.getMessage());
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"4|4:1", "(4,8)|(4,8):(1@0,1@1)",
      "((2,2),(3,(2,2)))|((2,2),(3,(2,2))):((1@0@0,1@1@0),(1@0@1,(1@0@1@1,1@1@1@1)))"})
  void theIdentityPrintsAsInCute(String shape, String expected) {
    assertEquals(expected, CoordinateLayout.identity(IntTuple.parse(shape)).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "(4,8)", "(2,(3,4))", "((2,3),(1,(2,2)))", "(3,1,4)"})
  void theIdentityGivesEachCoordinate(String text) {
    var shape = IntTuple.parse(text);
    var identity = CoordinateLayout.identity(shape);
    for (long i = 0; i < shape.size(); i++) {
      var coordinate = Layout.columnMajor(shape).coordinate(i);
      assertEquals(trimmed(coordinate), trimmed(identity.apply(i).coordinate()));
      assertEquals(identity.apply(i), identity.apply(coordinate));
    }
  }

  /** Zeros at the end of a tuple say nothing, and a tuple of zeros is 0. */
  private static IntTuple trimmed(IntTuple coordinate) {
    if (coordinate instanceof IntTuple.Leaf) return coordinate;
    var elements = new ArrayList<>(coordinate.modes().stream().map(CoordinateLayoutTest::trimmed).toList());
    while (!elements.isEmpty() && elements.getLast().equals(IntTuple.of(0))) elements.removeLast();
    return elements.isEmpty() ? IntTuple.of(0) : IntTuple.of(elements);
  }

  @Test
  void integersAndTuplesInOnePlaceAreNoCoordinate() {
    assertThrows(IllegalArgumentException.class, () -> CoordinateLayout.parse("(2,2):(1,1@0)").apply(3).coordinate());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(8,8)|((4,8),2):((16,1),8)|((4,8),2):((2@1,1@0),1@1)",
      "(16,8)|((4,8),(2,2)):((32,1),(16,8))|((4,8),(2,2)):((2@1,1@0),(1@1,8@0))", "(3,6,2)|18:1|(3,6):(1@0,1@1)",
      "(7,2,8)|8:7|(2,4):(1@1,1@2)"})
  void whatALayoutPicksOfTheIdentityIsAsInCute(String shape, String inner, String expected) {
    var identity = CoordinateLayout.identity(IntTuple.parse(shape));
    assertEquals(expected, identity.composition(Layout.parse(inner)).toString());
  }

  @Test
  void compositionWithTheIdentityIsDefinedExactlyWhereTheCoordinatesAreALayout() {
    int[] counts = new int[2];
    for (var text : List.of("(2,3)", "(4,2)", "(2,2,2)", "(3,2)")) {
      var shape = IntTuple.parse(text);
      Layouts.each(2, 3, 4, inner -> {
        var coordinates = new ArrayList<List<Long>>();
        for (long i = 0; i < inner.size(); i++) coordinates.add(digits(inner.apply(i), shape));
        if (inner.offsets().length > 0 && max(inner) >= shape.size()) return;
        switch (CoordinateComposition.of(CoordinateLayout.identity(shape), inner)) {
          case Decision.Defined(var result, var certificate) -> {
            counts[0]++;
            assertTrue(certificate.holds());
            assertTrue(inner.shape().isCompatibleWith(result.shape()));
            for (int i = 0; i < coordinates.size(); i++) {
              var value = result.apply(i);
              for (int k = 0; k < shape.rank(); k++) {
                assertEquals(coordinates.get(i).get(k), value.at(List.of(k)), inner + " in " + shape);
              }
            }
          }
          case Decision.Undefined<CoordinateLayout> undefined -> {
            counts[1]++;
            assertTrue(!isRefinable(inner.shape(), coordinates), undefined.message());
          }
        }
      });
    }
    assertTrue(counts[0] > 500 && counts[1] > 50, counts[0] + " defined, " + counts[1] + " not");
  }

  private static long max(Layout layout) {
    return Arrays.stream(layout.offsets()).max().orElse(0);
  }

  private static List<Long> digits(long index, IntTuple shape) {
    var digits = new ArrayList<Long>();
    for (long extent : shape.flatten()) {
      digits.add(index % extent);
      index /= extent;
    }
    return digits;
  }

  /** Tries every way to cut the leaves into factors, for a flat shape: does one have strides that give these values? */
  private static boolean isRefinable(IntTuple shape, List<List<Long>> values) {
    var cuts = new ArrayList<List<Long>>(List.of(List.of()));
    for (long extent : shape.flatten()) {
      var longer = new ArrayList<List<Long>>();
      for (var head : cuts) {
        for (var tail : factorisations(extent)) {
          var both = new ArrayList<>(head);
          both.addAll(tail);
          longer.add(both);
        }
      }
      cuts = longer;
    }
    return new HashSet<>(cuts).stream().anyMatch(extents -> isLinear(extents, values));
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

  private static boolean isLinear(List<Long> extents, List<List<Long>> values) {
    for (int i = 0; i < values.size(); i++) {
      for (int k = 0; k < values.get(i).size(); k++) {
        long sum = 0;
        int unit = 1;
        for (long extent : extents) {
          sum += i / unit % extent * values.get(unit).get(k);
          unit *= (int) extent;
        }
        if (sum != values.get(i).get(k)) return false;
      }
    }
    return true;
  }

  @Test
  void offsetsOfNamedCoordinatesAreThoseOfTheModes() {
    var tensor = Layout.parse("((4,6),8):((1,5),24)");
    var tile = CoordinateLayout.parse("(8,6,2):(1@1,1@1@0,2@0@0)");
    var offsets = CoordinateComposition.of(tensor, tile).orElseThrow();
    for (long i = 0; i < tile.size(); i++) {
      assertEquals(tensor.apply(padded(tile.apply(i).coordinate())), offsets.apply(i));
    }
    var reason = assertInstanceOf(Decision.Undefined.class,
        CoordinateComposition.of(tensor, CoordinateLayout.parse("4:1@2")));
    assertTrue(reason.message().contains("there is no mode 2"), reason.message());
  }

  private static IntTuple padded(IntTuple coordinate) {
    var inner = coordinate.mode(0).equals(IntTuple.of(0)) ? IntTuple.flat(0, 0) : coordinate.mode(0);
    var first = inner.rank() == 1 ? IntTuple.of(inner.mode(0), IntTuple.of(0)) : inner;
    return coordinate.rank() == 1 ? IntTuple.of(first, IntTuple.of(0)) : IntTuple.of(first, coordinate.mode(1));
  }

  @Test
  void aDiagonalIsDefinedExactlyWhereItsOffsetsAreALayout() {
    int[] counts = new int[3];
    for (int code = 0; code < 625; code++) {
      var text = "((2,2),(2,2)):((" + code % 5 + "," + code / 5 % 5 + "),(" + code / 25 % 5 + "," + code / 125 + "))";
      var tensor = Layout.parse(text);
      for (int extent = 2; extent <= 4; extent++) {
        var diagonal = CoordinateLayout.parse(extent + ":1@0+1@1");
        var offsets = new ArrayList<List<Long>>();
        for (long i = 0; i < extent; i++) offsets.add(List.of(tensor.apply(IntTuple.flat(i, i))));
        if (CoordinateComposition.of(tensor, diagonal)
            instanceof Decision.Defined<Layout>(var result, var certificate)) {
          counts[0]++;
          assertTrue(certificate.holds());
          for (int i = 0; i < extent; i++) assertEquals(offsets.get(i).getFirst(), result.apply(i), text);
          if (Composition.of(tensor.mode(0), Layout.of(extent, 1)) instanceof Decision.Undefined) counts[2]++;
        } else {
          counts[1]++;
          assertTrue(!isRefinable(IntTuple.of(extent), offsets), text + " ∘ " + diagonal);
        }
      }
    }
    assertTrue(counts[0] > 500 && counts[1] > 300 && counts[2] > 10, counts[0] + ", " + counts[1] + ", " + counts[2]);
  }

  @Test
  void coalescingKeepsEachCoordinate() {
    for (var text : List.of("(2,3,4):(1@0,2@0,1@1)", "(1,4,2):(7@1,1@0,4@0)", "(2,2):(1@0+1@1,2@0+2@1)")) {
      var layout = CoordinateLayout.parse(text);
      var normal = layout.coalesce();
      assertTrue(normal.strides().size() < layout.strides().size());
      for (long i = 0; i < layout.size(); i++) assertEquals(layout.apply(i), normal.apply(i));
    }
  }

  @Test
  void emptyLayoutsAndThoseOfOneElementCoalesceToOneMode() {
    assertEquals("0:0", CoordinateLayout.parse("(2,0):(1@0,1@1)").coalesce().toString());
    assertEquals("1:0", CoordinateLayout.parse("(1,1):(1@0,1@1)").coalesce().toString());
    assertEquals("1:0", CoordinateLayout.parse("():()").coalesce().toString());
  }

  @Test
  void aModeTakesTheStridesOfItsLeaves() {
    var layout = CoordinateLayout.parse("((2,3),4,(5,6)):((1@0,2@0),1@1,(1@2,3@2))");
    assertEquals(List.of("(2,3):(1@0,2@0)", "4:1@1", "(5,6):(1@2,3@2)"),
        List.of(layout.mode(0).toString(), layout.mode(1).toString(), layout.mode(2).toString()));
    assertEquals(3, layout.rank());
    assertEquals(720, layout.size());
  }

  @Test
  void coordinatesFitTheShapeAlsoWithoutModes() {
    assertThrows(IllegalArgumentException.class,
        () -> CoordinateLayout.parse("():()").apply(IntTuple.parse("(1,2)")));
    assertEquals(ArithmeticTuple.ZERO, CoordinateLayout.parse("():()").apply(IntTuple.parse("()")));
  }

  @Test
  void modesOfOneElementHaveStrideZeroInAComposition() {
    var picked = CoordinateLayout.identity(IntTuple.flat(4, 8)).composition(Layout.parse("(1,4):(3,1)"));
    assertEquals("(1,4):(0,1@0)", picked.toString());
  }

  @Test
  void oneBrokenPlaceIsTheReasonUnlessAnotherMayMendIt() {
    var tensor = Layout.parse("((3,8388608),33554432):((1,7),0)");
    var one = assertInstanceOf(Decision.Undefined.class,
        CoordinateComposition.of(tensor, CoordinateLayout.parse("4:1@0")));
    assertTrue(one.numbers().contains(" in (3,8388608):(1,7) ∘ 4:1"), one.numbers());
    var two = assertInstanceOf(Decision.Undefined.class,
        CoordinateComposition.of(tensor, CoordinateLayout.parse("16777216:1@0+1@1")));
    assertEquals("the table has 7 at index 3", two.numbers());
    var beyond = assertInstanceOf(Decision.Undefined.class,
        CoordinateComposition.of(tensor, CoordinateLayout.parse("16777217:1@0+1@1")));
    assertTrue(beyond.numbers().contains(" in (3,8388608):(1,7) ∘ 16777217:1"), beyond.numbers());
  }
}
