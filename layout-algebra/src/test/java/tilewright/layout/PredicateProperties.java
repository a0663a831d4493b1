package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.decision.Decision;
import tilewright.layout.synthesis.LayoutSum;
import tilewright.layout.tuple.IntTuple;

/** What is decided of a layout as a function, against its table. */
class PredicateProperties {

  @Example
  void everySmallLayoutIsDecidedAsItsTableSays() {
    Layouts.each(3, 4, 6, PredicateProperties::holdsByTable);
  }

  @Property
  void decisionsHoldForNegativeStridesToo(@ForAll("signed") Layout layout) {
    holdsByTable(layout);
  }

  private static void holdsByTable(Layout layout) {
    long[] offsets = layout.offsets();
    long[] image = Arrays.stream(offsets).sorted().distinct().toArray();
    boolean injective = image.length == offsets.length;
    assertEquals(injective, layout.isInjective(), layout::toString);
    layout.collision().ifPresent(c -> {
      assertTrue(c.first() < c.second() && c.second() < layout.size(), () -> layout + " " + c);
      assertEquals(c.offset(), offsets[Math.toIntExact(c.first())]);
      assertEquals(c.offset(), offsets[Math.toIntExact(c.second())]);
    });
    boolean range = image[0] == 0 && image[image.length - 1] == image.length - 1;
    assertEquals(range, layout.isSurjectiveOnto(image.length), layout::toString);
    assertFalse(layout.isSurjectiveOnto(image.length + 1));
    assertEquals(range && injective, layout.isBijective());
    assertEquals(range && image.length == layout.cosize(), layout.isCompact());
    assertEquals(image[image.length - 1] + 1, Image.of(layout).cosize());
  }

  @Property
  void equalityIsThatOfTablesAndOfImages(@ForAll("layouts") Layout a, @ForAll("layouts") Layout b) {
    assertEquals(Arrays.equals(a.offsets(), b.offsets()), a.isSameFunction(b));
    assertEquals(Arrays.equals(image(a), image(b)), Image.of(a).isSameSet(Image.of(b)));
  }

  @Example
  void extendedEqualityLooksBeyondTheSizes() {
    Layouts.each(2, 3, 3, a -> Layouts.each(2, 3, 3, b -> {
      boolean same = LongStream.range(0, 40).allMatch(i -> a.apply(i) == b.apply(i));
      assertEquals(same, Coalesce.isSameExtended(a, b), () -> a + " and " + b);
    }));
    assertTrue(Coalesce.isSameExtended(Layout.parse("(4,2):(1,4)"), Layout.parse("3:1")));
    assertFalse(Coalesce.isSameExtended(Layout.parse("(4,1):(1,0)"), Layout.parse("4:1")));
  }

  @Example
  void imagesOfAllSmallPairsAreComparedAsSets() {
    Layouts.each(2, 3, 4, a -> Layouts.each(2, 3, 4, b ->
        assertEquals(Arrays.equals(image(a), image(b)), Image.of(a).isSameSet(Image.of(b)), () -> a + " and " + b)));
  }

  @Example
  void hugeLayoutsAreDecidedWithoutTheirTables() {
    assertTrue(Layout.parse("(1073741824,1073741824):(1,1073741824)").isBijective());
    assertTrue(Layout.parse("(1073741824,1073741824):(1,1073741824)").isInjective());
    assertFalse(Layout.parse("(1073741824,1073741824):(1,1073741823)").isInjective());
    assertTrue(Layout.parse("(1073741824,3):(3,1000000000001)").isInjective());
    assertTrue(Layout.parse("(1048576,1048576):(1048577,1048576)").isInjective());
    assertTrue(Layout.parse("(1073741824,2):(1,1)").isSurjectiveOnto(1073741825));
  }

  @Example
  void emptyLayoutsAndThoseOfRankZeroAreDecided() {
    var empty = Layout.parse("(0,4):(1,0)");
    assertTrue(empty.isInjective() && empty.isBijective() && empty.isSurjectiveOnto(0));
    assertEquals(0, Image.of(empty).cosize());
    assertTrue(Image.of(empty).isSameSet(Image.of(Layout.parse("0:7"))));
    assertFalse(Image.of(empty).isSameSet(Image.of(Layout.parse("1:0"))));
    var point = Layout.parse("():()");
    assertTrue(point.isBijective() && point.isInjective());
    assertEquals(1, Image.of(point).cosize());
  }

  @Property
  void theSumAddsOffsets(@ForAll("layouts") Layout a, @ForAll("layouts") Layout b) {
    if (LayoutSum.of(a, b) instanceof Decision.Defined<Layout>(var sum, var _)) {
      assertEquals(a.size(), b.size());
      for (long i = 0; i < a.size(); i++) assertEquals(a.apply(i) + b.apply(i), sum.apply(i));
    }
  }

  @Example
  void theSumIsDefinedExactlyWhereItIsALayoutForAllSmallPairs() {
    Layouts.each(2, 4, 4, a -> Layouts.each(2, 4, 4, b -> {
      if (a.size() != b.size()) return;
      boolean exists = Synthesis.of(a.size(), i -> a.apply(i) + b.apply(i)).isPresent();
      var decision = LayoutSum.of(a, b);
      assertEquals(exists, decision instanceof Decision.Defined<Layout>, () -> a + " + " + b);
    }));
  }

  @Example
  void sumsOfDomainsWithoutCommonRefinementNameTheCut() {
    var a = Layout.parse("(2,3):(1,5)");
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSum.of(a, Layout.parse("(3,2):(1,7)")));
    assertEquals("2 does not divide 3", undefined.numbers());
    assertInstanceOf(Decision.Undefined.class, LayoutSum.of(a, Layout.parse("7:1")));
    assertEquals(Layout.parse("(2,2,3):(2,3,10)"),
        LayoutSum.of(Layout.parse("(4,3):(1,8)"), Layout.parse("(2,6):(1,1)")).orElseThrow());
  }

  @Property
  void distributedIndicesStayInsideTheModesAndDivideTheCount(@ForAll("shapes") IntTuple shape,
      @ForAll("counts") long count) {
    var spread = Distribution.of(shape, count);
    assertEquals(0, count % spread.size());
    assertEquals(spread.size(), LongStream.of(spread.offsets()).filter(i -> i < shape.size()).distinct().count());
    var column = Layout.columnMajor(shape);
    assertArrayEquals(spread.offsets(), column.composition(spread).offsets());
  }

  @Example
  void distributionTakesWhatEachExtentSharesWithTheCount() {
    assertEquals("(3,2):(1,15)", Distribution.of(IntTuple.parse("(15,14)"), 6).toString());
    assertEquals("1:0", Distribution.of(IntTuple.parse("(3,5)"), 4).toString());
  }

  private static long[] image(Layout layout) {
    return Arrays.stream(layout.offsets()).sorted().distinct().toArray();
  }

  @Provide
  Arbitrary<Layout> layouts() {
    return Layouts.any();
  }

  @Provide
  Arbitrary<Layout> signed() {
    var mode = Arbitraries.longs().between(1, 5).flatMap(extent ->
        Arbitraries.longs().between(-12, 12).map(stride -> Layout.of(extent, stride)));
    return mode.list().ofMinSize(1).ofMaxSize(4).map(Layout::of);
  }

  @Provide
  Arbitrary<IntTuple> shapes() {
    return Tuples.shapes();
  }

  @Provide
  Arbitrary<Long> counts() {
    return Arbitraries.longs().between(1, 60);
  }
}
