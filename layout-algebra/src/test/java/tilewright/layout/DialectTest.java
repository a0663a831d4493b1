package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Each choice of each dialect: what CuTe C++, its DSL and pycute answer, recorded from runs of them. */
class DialectTest {
  private static final List<String> OK = List.of("ok");
  private static final List<Dialect> ALL = List.of(Dialect.CUTE_CPP, Dialect.CUTE_DSL, Dialect.PYCUTE);
  private static final Dialect STRICT = Dialect.CUTE_CPP.with(Dialect.Domain.STRICT);

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      4:2           | 8:1   | 0,2,4,6,8,10,12,14
      (4,2):(1,16)  | 4:4   | 0,16,32,48
      4:2           | 2:-1  | 0,-2
      (2,2):(1,10)  | 2:3   | 0,11
      """)
  void everyDialectReadsTheLastModeBeyondItsEnd(String outer, String inner, String offsets) {
    for (var dialect : ALL) {
      assertEquals(offsets, text(Composition.of(Layout.parse(outer), Layout.parse(inner), dialect).orElseThrow()));
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      4:2           | 8:1         | 7
      (4,2):(1,16)  | 4:4         | 12
      4:2           | 2:-1        | -1
      (4,2):(1,16)  | (2,2):(1,8) | 9
      """)
  void aStrictDialectNamesTheOffsetOutsideTheDomain(String outer, String inner, long outside) {
    var refused = assertInstanceOf(Decision.Undefined.class,
        Composition.of(Layout.parse(outer), Layout.parse(inner), STRICT));
    assertTrue(refused.message().contains("has offset " + outside + ", outside 0…"), refused.message());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"8:2|4:2", "(4,2):(1,16)|4:2", "4:2|4:1", "(2,2):(1,10)|2:2"})
  void aStrictDialectAllowsAllOfTheDomain(String outer, String inner) {
    var a = Layout.parse(outer);
    var b = Layout.parse(inner);
    assertEquals(Composition.of(a, b).orElseThrow(), Composition.of(a, b, STRICT).orElseThrow());
  }

  @Test
  void aTileThatHangsOverIsRefusedStrictlyOnly() {
    var layout = Layout.parse("10:1");
    var tile = Tiler.parse("4");
    for (var dialect : ALL) {
      assertEquals(Layout.parse("(4,3):(1,4)"), Division.of(dialect).logical(layout, tile).orElseThrow());
    }
    var refused = assertInstanceOf(Decision.Undefined.class, Division.of(STRICT).logical(layout, tile));
    assertTrue(refused.message().contains("11, outside 0…9"), refused.message());
  }

  @Test
  void modesBehindAShortTilerAreDroppedOrKept() {
    var layout = Layout.parse("(4,3,2):(1,10,100)");
    var tiler = Tiler.parse("[2:2]");
    assertEquals("0,2", text(Composition.byMode(layout, tiler, Dialect.CUTE_CPP).orElseThrow()));
    assertEquals("0,2", text(Composition.byMode(layout, tiler, Dialect.CUTE_DSL).orElseThrow()));
    assertEquals("0,2,10,12,20,22,100,102,110,112,120,122",
        text(Composition.byMode(layout, tiler, Dialect.PYCUTE).orElseThrow()));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      4:2                           | 2:1          | 2:1          | 2:1
      4:1                           | 1:0          | 1:4          | 1:0
      ((2,2),(2,2)):((1,4),(8,32))  | (2,2):(2,16) | (2,2):(2,16) | (2,2):(2,16)
      (2,4,6):(4,1,8)               | 1:0          | 1:48         | 1:0
      4:0                           | 1:0          | 1:1          | 1:0
      """)
  void complementsWithoutABound(String layout, String cpp, String dsl, String pycute) {
    var a = Layout.parse(layout);
    assertEquals(Layout.parse(cpp), Complement.of(a, 1, Dialect.CUTE_CPP).orElseThrow());
    assertEquals(Layout.parse(dsl), Complement.of(a, 1, Dialect.CUTE_DSL).orElseThrow());
    assertEquals(Layout.parse(pycute), Complement.of(a, 1, Dialect.PYCUTE).orElseThrow());
  }

  /** CuTe C++ defaults to the cosize, pycute to 1. */
  @Test
  void theDefaultBoundsOfAComplementAreOne() {
    Layouts.each(3, 3, 9, layout -> {
      if (!(Complement.of(layout, 1) instanceof Decision.Defined<Layout>(var least, var _))) return;
      assertEquals(least, layout.complement(layout.filter().cosize()), layout::toString);
    });
  }

  @Test
  void complementsAreThoseOfPycuteAndTheDslToTheLetter() {
    Golden.each("complement", OK, (args, record) -> {
      var layout = Layout.parse(args.get("a").asString());
      for (var dialect : List.of(Dialect.PYCUTE, Dialect.CUTE_DSL)) {
        var ours = args.has("cotarget")
            ? Complement.of(layout, IntTuple.parse(args.get("cotarget").asString()).size(), dialect)
            : Complement.of(layout, 1, dialect);
        var theirs = record.get(dialect == Dialect.PYCUTE ? "expect" : "cutegen").asString();
        assertEquals(theirs, ours.orElseThrow().toString());
      }
    });
  }

  @Test
  void rightInversesAreThoseOfPycuteAndTheDslToTheLetter() {
    Golden.each("right_inverse", OK, (args, record) -> {
      var layout = Layout.parse(args.get("a").asString());
      assertEquals(record.get("expect").asString(), Inverse.right(layout, Dialect.PYCUTE).toString());
      assertEquals(record.get("cutegen").asString(), Inverse.right(layout, Dialect.CUTE_DSL).toString());
      assertEquals(Inverse.right(layout, Dialect.CUTE_DSL), Inverse.right(layout, Dialect.CUTE_CPP));
    });
  }

  @Test
  void compactLayoutsAreThoseOfPycuteAndTheDslToTheLetter() {
    Golden.each("layout_ctor", OK, (args, record) -> {
      if (args.has("stride")) return;
      var shape = IntTuple.parse(args.get("shape").asString());
      assertEquals(record.get("expect").asString(),
          new Layout(shape, CompactOrder.columnMajor(shape, Dialect.PYCUTE)).toString());
      assertEquals(record.get("cutegen").asString(),
          new Layout(shape, CompactOrder.columnMajor(shape, Dialect.CUTE_DSL)).toString());
      assertEquals(CompactOrder.columnMajor(shape, Dialect.CUTE_DSL),
          CompactOrder.columnMajor(shape, Dialect.CUTE_CPP));
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"zipped", "tiled", "flat"})
  void aFreeModeOfARegroupingIsATileOfOneOrRefused(String grouping) {
    var layout = Layout.parse("(8,(2,2)):(3,(27,54))");
    var tiler = Tiler.parse("[4:1;_]");
    var expected = "0,3,6,9,12,15,18,21,27,30,33,36,39,42,45,48,54,57,60,63,66,69,72,75,81,84,87,90,93,96,99,102";
    for (var dialect : List.of(Dialect.CUTE_CPP, Dialect.PYCUTE)) {
      assertEquals(expected, text(divided(grouping, layout, tiler, dialect).orElseThrow()));
    }
    var refused = assertInstanceOf(Decision.Undefined.class, divided(grouping, layout, tiler, Dialect.CUTE_DSL));
    assertEquals(1, refused.mode().orElseThrow());
  }

  @Test
  void aFreeModeOfAZippedDivisionKeepsItsTreeInTheRest() {
    var zipped = Division.of(Dialect.PYCUTE).zipped(Layout.parse("(8,(2,2)):(3,(27,54))"), Tiler.parse("[4:1;_]"));
    assertEquals(Layout.parse("((4,1),(2,(2,2))):((3,0),(12,(27,54)))"), zipped.orElseThrow());
  }

  @Test
  void aFreeModeOfAProductIsATileOfOneToo() {
    var product = Product.of(Dialect.PYCUTE).zipped(Layout.parse("(4,8):(1,4)"), Tiler.parse("[_;2:1]"));
    assertEquals(Layout.parse("((1,8),(4,2)):((0,4),(1,1))"), product.orElseThrow());
  }

  @Test
  void anotherDomainLeavesTheOtherChoices() {
    for (var dialect : ALL) {
      assertEquals(dialect, dialect.with(Dialect.Domain.STRICT).with(Dialect.Domain.EXTENDED));
      assertEquals(Dialect.Domain.STRICT, dialect.with(Dialect.Domain.STRICT).domain());
    }
  }

  @Test
  void wherePycuteStopsCuteGoesOn() {
    var layout = Layout.parse("((2,2),(2,4)):((0,1),(0,2))");
    assertArrayEquals(new long[] {0}, Inverse.right(layout, Dialect.PYCUTE).offsets());
    assertArrayEquals(new long[] {0, 2, 8, 10, 16, 18, 24, 26}, Inverse.right(layout, Dialect.CUTE_CPP).offsets());
    assertArrayEquals(new long[] {0, 2, 8, 10, 16, 18, 24, 26}, Inverse.right(layout, Dialect.CUTE_DSL).offsets());
  }

  private static Decision<Layout> divided(String grouping, Layout layout, Tiler tiler, Dialect dialect) {
    return switch (grouping) {
      case "zipped" -> Division.of(dialect).zipped(layout, tiler);
      case "tiled" -> Division.of(dialect).tiled(layout, tiler);
      default -> Division.of(dialect).flat(layout, tiler);
    };
  }

  private static String text(Layout layout) {
    return String.join(",", Arrays.stream(layout.offsets()).mapToObj(Long::toString).toList());
  }
}
