package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GemmDrawTest {
  private static GemmDraw draw(long seed, int least, int most, boolean across) {
    return new GemmDraw(seed, new GemmDraw.Range(least, most), across);
  }

  @Test
  void aSeedDrawsTheSameShapesAgainAndAnotherOthers() {
    var twenty = draw(7, 1, 8192, false).first(20);
    assertEquals(twenty, draw(7, 1, 8192, false).first(40).subList(0, 20));
    assertNotEquals(twenty, draw(8, 1, 8192, false).first(20));
  }

  @ParameterizedTest(name = "M from {0} to {1}, across: {2}")
  @CsvSource({"1, 8192, false", "65, 511, false", "65, 511, true", "1000, 1000, true", "13, 13, false",
      "1, 65536, true"})
  void extentsLieInTheirRangesAndSteps(int least, int most, boolean across) {
    for (var shape : draw(1, least, most, across).first(500)) {
      assertTrue(least <= shape.m() && shape.m() <= most, shape::toString);
      assertTrue(shape.m() % 8 == 0 || !across && shape.m() < 512, shape::toString);
      for (int extent : new int[] {shape.n(), shape.k()}) {
        assertTrue(512 <= extent && extent <= 16376 && extent % 8 == 0, shape::toString);
      }
      assertTrue(2.0 * shape.m() * shape.n() * shape.k() <= 1e12, shape::toString);
    }
  }

  /** A fifth of 4,000 draws, 800 with a standard deviation of 25, lies in each of five doublings. */
  @Test
  void doublingsAreEquallyLikely() {
    var shapes = draw(3, 16, 511, false).first(4000);
    for (int least = 16; least < 512; least *= 2) {
      int from = least;
      long count = shapes.stream().filter(shape -> from <= shape.m() && shape.m() < 2 * from).count();
      assertEquals(800, count, 130, "M from " + from);
    }
  }

  @Test
  void rangesWithoutNumbersAreRefused() {
    for (int[] range : new int[][] {{0, 8}, {9, 8}, {1, 65537}}) {
      assertThrows(IllegalArgumentException.class, () -> new GemmDraw.Range(range[0], range[1]));
    }
    var e = assertThrows(IllegalArgumentException.class, () -> draw(1, 65, 71, true).first(1));
    assertTrue(e.getMessage().contains("no multiple of 8 from 65 to 71"), e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> draw(1, 513, 519, false).first(1));
  }
}
