package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Casts of all small layouts, strides downward among them, coordinate by coordinate. */
class RecastTest {

  /** Extents up to 4, strides from −2 to 4. */
  private static void each(Consumer<Layout> law) {
    for (int code = 0; code < 4 * 7 * 4 * 7; code++) {
      law.accept(Layout.of(Layout.of(1 + code % 4, code / 4 % 7 - 2), Layout.of(1 + code / 28 % 4, code / 112 - 2)));
    }
  }

  private static boolean dividesOrIsDivided(Layout mode, long n) {
    long extent = mode.size();
    long width = Math.abs(mode.flatStride()[0]);
    return extent == 1 || width % n == 0 || n % width == 0;
  }

  /** How many neighbours along a mode lie in one vector. */
  private static long neighbours(Layout mode, long n) {
    long width = Math.abs(mode.flatStride()[0]);
    return mode.size() == 1 || width == 0 || width >= n ? 1 : n / width;
  }

  @Test
  void anUpcastCountsVectorsOrSaysWhichModeLeavesThem() {
    int[] counts = new int[3];
    for (long n = 1; n <= 6; n++) {
      long vector = n;
      each(layout -> {
        switch (Recast.up(layout, vector, Casting.EXACT)) {
          case Decision.Defined<Layout>(var vectors, var certificate) -> {
            counts[0]++;
            assertTrue(certificate.holds());
            for (long i = 0; i < layout.size(); i++) {
              var c = layout.coordinate(i);
              var inVectors = IntTuple.flat(c.mode(0).size() / neighbours(layout.mode(0), vector),
                  c.mode(1).size() / neighbours(layout.mode(1), vector));
              assertEquals(Math.floorDiv(layout.apply(i), vector), vectors.apply(inVectors), layout + " by " + vector);
            }
          }
          case Decision.Undefined<Layout> undefined when undefined.mode().isPresent() -> {
            counts[1]++;
            int first = IntStream.of(0, 1).filter(k -> !dividesOrIsDivided(layout.mode(k), vector)).findFirst()
                .orElseThrow();
            assertEquals(first, undefined.mode().getAsInt(), undefined.message());
          }
          case Decision.Undefined<Layout> undefined -> {
            counts[2]++;
            var witness = undefined.witness().orElseThrow();
            for (int k = 0; k < 2; k++) {
              long digit = witness.coordinate().mode(k).size();
              assertTrue(digit >= 0 && digit < Math.min(layout.mode(k).size(), neighbours(layout.mode(k), vector)));
            }
            assertEquals(layout.apply(witness.coordinate()), layout.apply(witness.index()));
            assertEquals(Math.floorDiv(layout.apply(witness.index()), vector), witness.demanded());
            assertEquals(0, witness.given(), "within the first vector of each mode");
            assertNotEquals(0, witness.demanded());
            assertTrue(undefined.numbers().endsWith("is not in 0…" + (vector - 1)), undefined.numbers());
          }
        }
      });
    }
    assertTrue(counts[0] > 1000 && counts[1] > 500 && counts[2] > 100, counts[0] + ", " + counts[1] + ", " + counts[2]);
  }

  @Test
  void aDowncastPutsThePartsAlongTheFirstModeOfNeighbours() {
    for (long n = 1; n <= 3; n++) {
      long parts = n;
      each(layout -> {
        var ones = IntStream.of(0, 1).filter(k -> layout.flatStride()[k] == 1).boxed().toList();
        if (Recast.down(layout, parts, Casting.EXACT) instanceof Decision.Defined<Layout>(var cast, var certificate)) {
          assertTrue(certificate.holds());
          int along = ones.stream().filter(k -> layout.flatShape()[k] > 1).findFirst().orElse(ones.getFirst());
          for (long i = 0; i < layout.size(); i++) {
            long first = layout.coordinate(i).mode(0).size();
            long second = layout.coordinate(i).mode(1).size();
            for (long part = 0; part < parts; part++) {
              var c = along == 0 ? IntTuple.flat(first * parts + part, second)
                  : IntTuple.flat(first, second * parts + part);
              assertEquals(layout.apply(i) * parts + part, cast.apply(c), layout + " by " + parts);
            }
          }
        } else {
          assertTrue(ones.isEmpty(), layout.toString());
        }
      });
    }
  }

  /** downcast in CuTe's layout.hpp widens each mode of stride 1 or −1 and stretches each other stride. */
  @Test
  void aDowncastAsInCuteWidensEveryModeOfNeighbours() {
    each(layout -> {
      long[] extents = layout.flatShape();
      long[] strides = layout.flatStride();
      boolean some = false;
      for (int k = 0; k < 2; k++) {
        boolean neighbours = Math.abs(strides[k]) == 1;
        some |= neighbours;
        if (neighbours) extents[k] *= 3;
        else strides[k] *= 3;
      }
      var cast = Recast.down(layout, 3, Casting.CUTE);
      assertEquals(some, cast instanceof Decision.Defined, layout.toString());
      if (some) assertEquals(new Layout(IntTuple.flat(extents), IntTuple.flat(strides)), cast.orElseThrow());
    });
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"6:1|8|12|4:1", "4:1|12|8|6:1", "(2,3):(1,2)|4|8|(1,3):(1,1)", "5:3|8|8|5:3",
      "3:2|8|4|undefined", "(2,2):(1,8)|32|8|(8,2):(1,32)"})
  void aRecastGoesThroughTheWidestCommonPart(String layout, long from, long to, String expected) {
    switch (Recast.of(Layout.parse(layout), from, to, Casting.EXACT)) {
      case Decision.Defined<Layout>(var cast, var certificate) -> {
        assertEquals(expected, cast.toString());
        assertTrue(certificate.holds(), certificate.explain());
      }
      case Decision.Undefined<Layout> undefined -> {
        assertEquals("undefined", expected, undefined.message());
        assertEquals("recast<" + from + "," + to + ">(" + layout + ")", undefined.operation());
      }
    }
  }

  @Test
  void aRefusedUpcastIsToldAsTheRecast() {
    var undefined = assertInstanceOf(Decision.Undefined.class, Recast.of(Layout.parse("4:3"), 8, 16, Casting.EXACT));
    assertEquals("recast<8,16>(4:3)", undefined.operation());
    var after = assertInstanceOf(Decision.Undefined.class,
        Recast.of(Layout.parse("(2,2):(1,5)"), 8, 12, Casting.EXACT));
    assertEquals("recast<8,12>((2,2):(1,5))", after.operation());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void widthsAreAtLeastOne(long n) {
    var layout = Layout.parse("4:1");
    for (var casting : Casting.values()) {
      assertThrows(IllegalArgumentException.class, () -> Recast.up(layout, n, casting));
      assertThrows(IllegalArgumentException.class, () -> Recast.down(layout, n, casting));
      for (var recast : List.<Executable>of(() -> Recast.of(layout, n, 8, casting),
          () -> Recast.of(layout, 8, n, casting))) {
        var refusal = assertThrows(IllegalArgumentException.class, recast);
        assertTrue(refusal.getMessage().startsWith("recast<"), refusal.getMessage());
      }
    }
  }

  @Test
  void aCastAsInCuteIsCertifiedExactlyWhereItCountsVectors() {
    each(layout -> {
      var cast = Recast.up(layout, 4, Casting.CUTE);
      if (!(cast instanceof Decision.Defined<Layout>(var vectors, var certificate))) return;
      boolean counts = true;
      for (long i = 0; i < layout.size(); i++) {
        var c = layout.coordinate(i);
        var inVectors = IntTuple.flat(c.mode(0).size() / neighbours(layout.mode(0), 4),
            c.mode(1).size() / neighbours(layout.mode(1), 4));
        counts &= Math.floorDiv(layout.apply(i), 4) == vectors.apply(inVectors);
      }
      assertEquals(counts, certificate.holds(), layout + " is cast to " + vectors);
    });
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(2,2):(1,2)|true", "(2,2):(1,4)|false", "(1,2):(1,2)|false",
      "(2,2):(2,2)|false", "(2,1):(1,2)|false"})
  void anUpcastIsCertifiedByItsModes(String vectors, boolean holds) {
    var certificate = new Recast.UpcastCertificate(Layout.parse("(4,2):(1,4)"), 2, Layout.parse(vectors));
    assertEquals(holds, certificate.holds());
    assertTrue(certificate.explain().contains(vectors + " counts vectors of 2"), certificate.explain());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"0|(8,2):(1,8)|true", "0|(8,2):(1,4)|false", "0|(4,2):(1,8)|false",
      "1|(4,4):(2,4)|false", "1|(4,4):(2,1)|false", "-1|(4,2):(2,8)|false"})
  void aDowncastIsCertifiedByItsModes(int widened, String parts, boolean holds) {
    var certificate = new Recast.DowncastCertificate(Layout.parse("(4,2):(1,4)"), 2, widened, Layout.parse(parts));
    assertEquals(holds, certificate.holds());
    assertTrue(certificate.explain().contains(parts + " counts parts"), certificate.explain());
  }

  @Test
  void aLosslessUpcastFillsItsVectors() {
    var gaps = assertInstanceOf(Decision.Undefined.class, Recast.up(Layout.parse("4:2"), 4, Casting.LOSSLESS));
    assertEquals("2:2 does not reach 0…3", gaps.numbers());
  }
}
