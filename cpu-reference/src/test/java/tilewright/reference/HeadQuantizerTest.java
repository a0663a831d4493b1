package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.numerics.ElementType;

/** Codes and factors by their definitions. */
class HeadQuantizerTest {
  private static final int COLUMNS = 96;
  private static final int ROWS = 50;

  private static double[][] rows(long seed) {
    var random = new SplittableRandom(seed);
    return IntStream.range(0, ROWS).mapToObj(_ -> random.doubles(COLUMNS).map(u -> (float) (2 * u - 1)).toArray())
        .toArray(double[][]::new);
  }

  private static HeadQuantizer.Tables tables() {
    var cosines = new float[ROWS][COLUMNS / 2];
    var sines = new float[ROWS][COLUMNS / 2];
    for (int s = 0; s < ROWS; s++) {
      for (int i = 0; i < COLUMNS / 2; i++) {
        double angle = s * Math.pow(10000, -2.0 * i / COLUMNS);
        cosines[s][i] = (float) Math.cos(angle);
        sines[s][i] = (float) Math.sin(angle);
      }
    }
    return new HeadQuantizer.Tables(cosines, sines, Hadamard.signs(3, COLUMNS));
  }

  /** Turning and transforming are orthogonal, so every product of two rows at one position stays as it was. */
  @ParameterizedTest
  @EnumSource(Rotation.class)
  void productsOfTransformedRowsAreThoseOfTheRows(Rotation rotation) {
    var quantizer = new HeadQuantizer(ElementType.E4M3, rotation, true);
    var q = rows(1);
    var k = rows(2);
    var turnedQ = quantizer.exact(q, tables());
    var turnedK = quantizer.exact(k, tables());
    for (int s = 0; s < ROWS; s++) {
      // The tables' cosines and sines are rounded to FP32.
      assertEquals(dot(q[s], k[s]), dot(turnedQ[s], turnedK[s]), 1e-5);
    }
    if (rotation == Rotation.NONE) assertEquals(dot(q[3], k[7]), dot(turnedQ[3], turnedK[7]), 1e-13);
  }

  /** A code is off by half a unit of e4m3 or e5m2 at most, and its factor and the sums by FP32 roundings. */
  @ParameterizedTest
  @CsvSource({"E4M3, NONE, false, 4", "E4M3, HALF, true, 4", "E5M2, NEIGHBOURS, true, 3", "E4M3, NEIGHBOURS, false, 4"})
  void codesTimesFactorsAreTheTransformedRows(ElementType narrow, Rotation rotation, boolean hadamard, int bits) {
    var quantizer = new HeadQuantizer(narrow, rotation, hadamard);
    var x = rows(4);
    var exact = quantizer.exact(x, tables());
    var result = quantizer.perBlock(x, COLUMNS, tables(), 16);
    assertEquals(4, result.factors().length);
    for (int s = 0; s < ROWS; s++) {
      float factor = result.factors()[s / 16];
      for (int d = 0; d < COLUMNS; d++) {
        double allowed = Math.max(Math.scalb(Math.abs(exact[s][d]), -bits), narrow.ulp(0) * factor / 2) + 1e-5;
        assertEquals(exact[s][d], result.codes()[s][d] * factor, allowed);
      }
    }
    for (int block = 0; block < 4; block++) {
      double largest = Arrays.stream(result.codes(), block * 16, Math.min(ROWS, (block + 1) * 16))
          .flatMapToDouble(Arrays::stream).map(Math::abs).max().orElseThrow();
      assertEquals(HeadQuantizer.limit(narrow), largest, "a block's largest magnitude has the largest code");
    }
  }

  /** 2.5 units are nearer to no neighbour: ties go to the even code, and beyond the largest number they saturate. */
  @Test
  void codesAreRoundedToNearestEvenAndSaturate() {
    var quantizer = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, false);
    var codes = new double[6];
    quantizer.round(new float[] {17, 19, -17, 500, -1e30f, 0x1p-11f}, 1, codes);
    assertArrayEquals(new double[] {16, 20, -16, 448, -448, 0}, codes);
  }

  @Test
  void zerosAndTinyRowsHaveFactorOneAndCodesOfZero() {
    var quantizer = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, false);
    for (double tiny : new double[] {0, 0x1p-101}) {
      var result = quantizer.perBlock(new double[][] {{tiny, 0, 0, 0}}, 4, HeadQuantizer.Tables.NONE, 64);
      assertEquals(1, result.factors()[0]);
      assertArrayEquals(new double[4], result.codes()[0]);
    }
    var none = quantizer.perBlock(new double[0][], 4, HeadQuantizer.Tables.NONE, 64);
    assertArrayEquals(new float[] {1}, none.factors());
  }

  /** A value that is not finite spoils itself and what its transform mixes with it, and no factor. */
  @Test
  void whatIsNotFiniteIsNaNAndDoesNotCount() {
    double[][] x = {{Double.NaN, 1, 2, -4}, {Double.POSITIVE_INFINITY, 0, 0, 1}};
    var result = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, false).perBlock(x, 4, HeadQuantizer.Tables.NONE, 2);
    assertEquals(4 / 448f, result.factors()[0]);
    assertArrayEquals(new double[] {Double.NaN, 112, 224, -448}, result.codes()[0]);
    assertArrayEquals(new double[] {Double.NaN, 0, 0, 112}, result.codes()[1]);

    var rows = rows(9);
    var clean = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, true).perBlock(rows, COLUMNS, tables(), 64);
    rows[5][7] = Double.NEGATIVE_INFINITY;
    var spoilt = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, true).perBlock(rows, COLUMNS, tables(), 64);
    assertEquals(32, Arrays.stream(spoilt.codes()[5]).filter(Double::isNaN).count());
    assertTrue(Arrays.stream(spoilt.codes()[4]).allMatch(Double::isFinite));
    assertEquals(clean.factors()[0], spoilt.factors()[0], clean.factors()[0] / 2);
  }

  @Test
  void otherTypesAreRefused() {
    assertEquals("cannot quantise heads to f16: e4m3 or e5m2", assertThrows(IllegalArgumentException.class,
        () -> new HeadQuantizer(ElementType.F16, Rotation.NONE, false)).getMessage());
  }

  private static double dot(double[] a, double[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
  }
}
