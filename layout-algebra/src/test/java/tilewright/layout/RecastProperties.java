package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.UndefinedOperationException;

/** Layouts over wider and narrower elements: each address is that of its element, by the table. */
class RecastProperties {

  @Property(tries = 3000)
  void upcastAddressesTheVectorsOfTheElements(@ForAll("layouts") Layout layout,
      @ForAll @LongRange(min = 1, max = 8) long n) {
    switch (Recast.up(layout, n, Casting.EXACT)) {
      case Decision.Defined<Layout>(var vectors, var certificate) -> {
        assertTrue(certificate.holds());
        assertArrayEquals(vectorsOf(layout, n), distinct(vectors), vectors::toString);
      }
      case Decision.Undefined<Layout> undefined -> undefined.witness().ifPresent(witness -> {
        assertEquals(Math.floorDiv(layout.apply(witness.coordinate()), n), witness.demanded());
        assertNotEquals(witness.demanded(), witness.given());
      });
    }
  }

  @Property
  void losslessUpcastsComeBackElementForElement(@ForAll("layouts") Layout layout,
      @ForAll @LongRange(min = 1, max = 6) long n) {
    if (Recast.up(layout, n, Casting.LOSSLESS) instanceof Decision.Defined<Layout>(var vectors, var _)) {
      assertEquals(Recast.up(layout, n, Casting.EXACT).orElseThrow(), vectors);
      var elements = LongStream.of(distinct(vectors)).flatMap(v -> LongStream.range(v * n, v * n + n)).toArray();
      assertArrayEquals(distinct(layout), elements);
    }
  }

  @Property
  void downcastAddressesThePartsOfTheElements(@ForAll("layouts") Layout layout,
      @ForAll @LongRange(min = 1, max = 5) long n) {
    boolean neighbours = Arrays.stream(layout.flatStride()).anyMatch(stride -> stride == 1);
    switch (Recast.down(layout, n, Casting.EXACT)) {
      case Decision.Defined<Layout>(var parts, var certificate) -> {
        assertTrue(neighbours);
        assertTrue(certificate.holds());
        assertArrayEquals(sorted(LongStream.of(layout.offsets()).flatMap(x -> LongStream.range(n * x, n * x + n))),
            sorted(LongStream.of(parts.offsets())));
        assertEquals(layout, parts.upcast(n));
      }
      case Decision.Undefined<Layout> _ -> assertTrue(!neighbours);
    }
  }

  @Property
  void castsComposeWhereAllAreDefined(@ForAll("layouts") Layout layout, @ForAll @LongRange(min = 1, max = 4) long m,
      @ForAll @LongRange(min = 1, max = 4) long n) {
    if (Recast.up(layout, n, Casting.EXACT) instanceof Decision.Defined<Layout>(var once, var _)
        && Recast.up(once, m, Casting.EXACT) instanceof Decision.Defined<Layout>(var twice, var _)
        && Recast.up(layout, m * n, Casting.EXACT) instanceof Decision.Defined<Layout>(var direct, var _)) {
      assertTrue(direct.isSameFunction(twice), direct + " and " + twice);
    }
  }

  @Example
  void recastGoesThroughTheCommonPart() {
    assertEquals("8:1", recast("32:1", 8, 32));
    assertEquals("128:1", recast("32:1", 32, 8));
    assertEquals("4:1", recast("6:1", 8, 12));
    assertEquals("(4,2):(2,1)", recast("(4,8):(8,1)", 8, 32));
    assertThrows(UndefinedOperationException.class, () -> recast("6:1", 8, 32));
    assertThrows(UndefinedOperationException.class, () -> recast("8:2", 8, 32));
    assertEquals("4:1", Layout.parse("8:2").recast(8, 32).toString());
  }

  @Example
  void whatCuteLosesIsDecidedAndOnlyGivenByName() {
    var aliased = Layout.parse("(2,4,8):(1,1,2)");
    var refused = assertInstanceOf(Decision.Undefined.class, Recast.up(aliased, 8, Casting.EXACT));
    assertTrue(refused.witness().isPresent());
    assertEquals("(1,1,2):(1,1,1)", Recast.up(aliased, 8, Casting.CUTE).orElseThrow().toString());
    assertEquals("2:1", Layout.parse("6:1").upcast(4).toString());
    assertInstanceOf(Decision.Undefined.class, Recast.up(Layout.parse("6:1"), 4, Casting.LOSSLESS));
    assertInstanceOf(Decision.Undefined.class, Recast.up(Layout.parse("8:-1"), 4, Casting.EXACT));
    assertEquals("8:-1", Layout.parse("8:-2").upcast(2).toString());
    assertEquals("(2,14,1):(14,1,2)", Layout.parse("(2,7,1):(7,1,1)").downcast(2).toString());
    assertEquals(Layout.parse("(2,14,2):(14,1,1)"),
        Recast.down(Layout.parse("(2,7,1):(7,1,1)"), 2, Casting.CUTE).orElseThrow());
    assertThrows(IllegalArgumentException.class, () -> Layout.parse("8:1").upcast(0));
  }

  @Property
  void alignedRunsMakeUpTheImage(@ForAll("layouts") Layout layout) {
    long n = Distribution.alignment(layout);
    long[] image = distinct(layout);
    var runs = Arrays.stream(image).filter(x -> x % n == 0).flatMap(x -> LongStream.range(x, x + n)).toArray();
    assertArrayEquals(image, runs);
  }

  @Example
  void theAlignmentIsWhatRunAndStridesShare() {
    assertEquals(4, Distribution.alignment(Layout.parse("(8,16):(1,4)")));
    assertEquals(2, Distribution.alignment(Layout.parse("(8,16):(1,6)")));
    assertEquals(128, Distribution.alignment(Layout.parse("(8,16):(1,8)")));
    assertEquals(1, Distribution.alignment(Layout.parse("4:2")));
    assertEquals(8, Distribution.alignment(Layout.parse("(4,2):(2,1)")));
  }

  private static String recast(String layout, long from, long to) {
    return Recast.of(Layout.parse(layout), from, to, Casting.LOSSLESS).orElseThrow().toString();
  }

  private static long[] vectorsOf(Layout layout, long n) {
    return sorted(Arrays.stream(layout.offsets()).map(x -> Math.floorDiv(x, n)).distinct());
  }

  private static long[] distinct(Layout layout) {
    return sorted(Arrays.stream(layout.offsets()).distinct());
  }

  private static long[] sorted(LongStream values) {
    return values.sorted().toArray();
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
