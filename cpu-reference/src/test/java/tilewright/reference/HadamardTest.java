package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The transform against its definition by the parity of common bits. */
class HadamardTest {
  @ParameterizedTest
  @ValueSource(ints = {16, 32, 64, 128, 256})
  void aHeadOfAPowerOfTwoIsMultipliedBySylvestersMatrix(int columns) {
    for (int i = 0; i < columns; i++) {
      int unit = i;
      var column = IntStream.range(0, columns).mapToDouble(j -> Integer.bitCount(unit & j) % 2 == 0 ? 1 : -1).toArray();
      assertArrayEquals(column, new Hadamard(columns).exact(unit(columns, i)));
    }
  }

  /** Entries are ±1 or 0, so products of whole rows are exact: H·Hᵀ = order · I. */
  @ParameterizedTest
  @ValueSource(ints = {16, 32, 48, 64, 80, 96, 128, 192, 256})
  void itIsOrthogonalAndItsOwnInverse(int columns) {
    var transform = new Hadamard(columns);
    assertEquals(1, transform.normalisation() * transform.normalisation() * transform.order(), 1e-15);
    for (int i = 0; i < columns; i++) {
      var twice = transform.exact(transform.exact(unit(columns, i)));
      var expected = unit(columns, i);
      expected[i] = transform.order();
      assertArrayEquals(expected, twice);
      int different = Arrays.stream(transform.exact(unit(columns, i))).mapToInt(v -> v == 0 ? 0 : 1).sum();
      assertEquals(transform.order(), different, "an outlier is spread over its block");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {48, 96, 192})
  void bothElementsOfARotatedPairAreInOneBlock(int columns) {
    var transform = new Hadamard(columns);
    for (int i = 0; i < columns / 2; i++) {
      var ofFirst = transform.exact(unit(columns, i));
      var ofSecond = transform.exact(unit(columns, i + columns / 2));
      for (int d = 0; d < columns; d++) assertEquals(ofFirst[d] == 0, ofSecond[d] == 0);
    }
  }

  @Test
  void singlesDifferFromDoublesByTheRoundingsOfTheirButterflies() {
    var random = new SplittableRandom(1);
    var row = random.doubles(128).map(u -> (float) (2 * u - 1)).toArray();
    var singles = new float[row.length];
    for (int i = 0; i < row.length; i++) singles[i] = (float) row[i];
    var stepwise = new Hadamard(128).stepwise(singles);
    var exact = new Hadamard(128).exact(row);
    for (int i = 0; i < row.length; i++) assertEquals(exact[i], stepwise[i], 7 * 128 * 0x1p-25);
  }

  @Test
  void signsAreTheSameForASeedAndAboutBalanced() {
    assertArrayEquals(Hadamard.signs(5, 256), Hadamard.signs(5, 256));
    assertFalse(Arrays.equals(Hadamard.signs(5, 256), Hadamard.signs(6, 256)));
    int negative = 0;
    for (long seed = 0; seed < 100; seed++) {
      for (float sign : Hadamard.signs(seed, 100)) {
        assertTrue(sign == 1 || sign == -1);
        if (sign < 0) negative++;
      }
    }
    // Six standard deviations of 10000 fair coins.
    assertEquals(5000, negative, 300);
  }

  @Test
  void otherHeadsAreRefused() {
    assertEquals("no Hadamard transform of 72 columns: a multiple of 16",
        assertThrows(IllegalArgumentException.class, () -> new Hadamard(72)).getMessage());
  }

  private static double[] unit(int columns, int i) {
    var unit = new double[columns];
    unit[i] = 1;
    return unit;
  }
}
