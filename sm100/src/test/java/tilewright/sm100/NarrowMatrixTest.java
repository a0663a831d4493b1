package tilewright.sm100;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** What the quantizer writes, against the definitions of the formats and of the layouts. */
class NarrowMatrixTest {
  private static final double[] E2M1 = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

  @Test
  void fourBitsAreTheNumbersOfTheStandard() {
    var numbers = NarrowNumbers.of(MmaFormat.E2M1);
    for (int bits = 0; bits < 16; bits++) {
      assertEquals(bits < 8 ? E2M1[bits] : -E2M1[bits - 8], numbers.decode(bits));
    }
  }

  @ParameterizedTest
  @CsvSource({"E4M3, E4M3", "E5M2, E5M2"})
  void eightBitsRoundAsTheReferenceDoes(MmaFormat format, ElementType type) {
    var numbers = NarrowNumbers.of(format);
    var random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      double value = Math.scalb(random.nextGaussian(), random.nextInt(24) - 18);
      if (Math.abs(value) > numbers.largest()) continue;
      assertEquals(type.fromDouble(value, Rounding.NEAREST_EVEN), numbers.encode(value), () -> "of " + value);
    }
  }

  /** Of all numbers that there are none is nearer, and of two equally near ones the even code is taken. */
  @ParameterizedTest
  @CsvSource({"E2M3, 64", "E3M2, 64", "E2M1, 16"})
  void sixAndFourBitsRoundToTheNearest(MmaFormat format, int codes) {
    var numbers = NarrowNumbers.of(format);
    var random = new Random(2);
    for (int i = 0; i < 5_000; i++) {
      double value = random.nextInt(8000) / 128.0 - 31;
      int chosen = numbers.encode(value);
      double error = Math.abs(numbers.decode(chosen) - value);
      for (int code = 0; code < codes; code++) {
        double other = Math.abs(numbers.decode(code) - value);
        boolean same = numbers.decode(code) == numbers.decode(chosen);
        assertTrue(error < other || error == other && (chosen % 2 == 0 || same),
            value + " became " + numbers.decode(chosen));
      }
    }
  }

  /** Row r of a tile in 16·(r mod 32) + 4·(r / 32), tiles of four scales along k first, then blocks of 128 rows. */
  @Test
  void scalesLieInTilesOf128RowsByFour() {
    int rows = 200;
    int k = 320;
    var values = new float[rows * k];
    // The scale of row r and block b is 2 to the (r + 3b) mod 100 - 50.
    for (int i = 0; i < values.length; i++) values[i] = Math.scalb(6f, (i / k + 3 * (i % k / 32)) % 100 - 50);
    var matrix = NarrowMatrix.quantize(NarrowFormat.named("mxf4"), rows, k, values);
    assertEquals(2 * 3 * 512, matrix.scales().length);
    for (int row = 0; row < rows; row++) {
      for (int block = 0; block < k / 32; block++) {
        int at = (row / 128 * 3 + block / 4) * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
        assertEquals((row + 3 * block) % 100 - 50 + 127, matrix.scales()[at] & 0xFF, "row " + row + ", block " + block);
      }
    }
  }

  @Test
  void elementsFollowEachOtherFromTheLowestBits() {
    var four = quantized(MmaFormat.E2M1, 0.5f, 1, 6, -6);
    assertEquals(List.of((byte) 0x21, (byte) 0xF7), IntStream.range(0, 2).mapToObj(i -> four.elements()[i]).toList());
    // E3M2: 0.25 is code 4, 1 is 12, 28 is 31, -28 is 63.
    var six = quantized(MmaFormat.E3M2, 0.25f, 1, 28, -28);
    int word = 4 | 12 << 6 | 31 << 12 | 63 << 18;
    assertEquals(word, six.elements()[0] & 0xFF | (six.elements()[1] & 0xFF) << 8 | (six.elements()[2] & 0xFF) << 16);
  }

  /** Twelve bytes have sixteen elements of six bits; row 1 of column 2 is the 257th behind the first. */
  @Test
  void columnsLieOneAfterTheOtherWithZerosBehindRowsAndColumns() {
    var values = new float[] {1, 2, 3, -1, 0.5f, 7.5f};
    var rows = NarrowMatrix.quantize(NarrowFormat.named("mxf6"), 2, 3, values);
    var columns = NarrowMatrix.quantize(new NarrowLayout(NarrowFormat.named("mxf6"), 2, 3, false), 1, values);
    assertArrayEquals(rows.scales(), columns.scales());
    assertEquals(128 * 128 * 6 / 8, columns.elements().length);
    int nonZero = 0;
    for (byte b : columns.elements()) nonZero += b != 0 ? 1 : 0;
    assertTrue(nonZero <= 2 * values.length, "zeros behind rows and columns");
    int bit = 257 * 6;
    int word = columns.elements()[bit / 8] & 0xFF | (columns.elements()[bit / 8 + 1] & 0xFF) << 8;
    assertEquals(0b01_1111, word >> bit % 8 & 0x3F, "7.5 is the largest of e2m3");
    for (int i = 0; i < values.length; i++) assertEquals(rows.value(i / 3, i % 3), columns.value(i / 3, i % 3));
  }

  @Test
  void twoElementsInAByteLieAlongKOnly() {
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> new NarrowLayout(NarrowFormat.named("nvf4"), 2, 3, false));
    assertTrue(refusal.getMessage().contains("nvf4 cannot lie along the rows"), refusal.getMessage());
  }

  private static NarrowMatrix quantized(MmaFormat element, float... row) {
    return NarrowMatrix.quantize(new NarrowFormat(MmaKind.F8F6F4, element), 1, row.length, row);
  }

  /**
   * With the standard's scale a block's largest number has the format's largest exponent, and may be beyond its largest
   * number: 512 becomes 448, an eighth less, and 8 becomes 6. NVF4's largest becomes 6 but for the scale's rounding.
   */
  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E4M3, 0.125", "MXF8F6F4, E2M3, 0.0625", "MXF4, E2M1, 0.25", "NVF4, E2M1, 0.24"})
  void errorsStayWithinWhatTheFormatsLargestNumberCuts(MmaKind kind, MmaFormat format, double bound) {
    var random = new Random(3);
    var values = new float[4 * 128];
    for (int i = 0; i < values.length; i++) values[i] = (float) Math.scalb(random.nextGaussian(), i / 32 % 7 - 3);
    var matrix = NarrowMatrix.quantize(new NarrowFormat(kind, format), 4, 128, values);
    for (int i = 0; i < values.length; i++) {
      int first = i / kind.block() * kind.block();
      double largest = IntStream.range(first, first + kind.block()).mapToDouble(j -> Math.abs(values[j])).max()
          .getAsDouble();
      double error = Math.abs(matrix.value(i / 128, i % 128) - values[i]);
      assertTrue(error <= bound * largest, "element " + i + " is off by " + error + " of " + largest);
    }
  }

  /** The standard: the power of two not above the largest magnitude, over that of the format. */
  @ParameterizedTest
  @CsvSource({"mxf8, 8", "mxf8_e5m2, 15", "mxf6, 2", "mxf6_e3m2, 4", "mxf4, 2"})
  void scalesArePowersOfTwoOfTheLargestMagnitude(String name, int largestExponent) {
    for (float largest : new float[] {1, 1.99f, 3e38f, 448, 0.75f, 1e-30f, Float.MIN_NORMAL, Float.MIN_VALUE, 0}) {
      int exponent = -127;
      while (exponent < 127 && Math.scalb(1.0, exponent + 1 + largestExponent) <= largest) exponent++;
      assertEquals(exponent + 127, scale(NarrowFormat.named(name), largest), "of " + largest);
    }
  }

  /** The least power of two with which the largest magnitude is not beyond the format's largest number. */
  @ParameterizedTest
  @CsvSource({"mxf8, 448", "mxf8_e5m2, 57344", "mxf6, 7.5", "mxf6_e3m2, 28", "mxf4, 6"})
  void coveringScalesSaturateNothing(String name, double largestNumber) {
    for (float largest : new float[] {1, 1.75f, Math.nextUp(1.75f), 448, 449, 6, 6.1f, 3.4e38f, 1e-30f, 0}) {
      int exponent = -127;
      while (Math.scalb(largestNumber, exponent) < largest) exponent++;
      assertEquals(exponent + 127, scale(NarrowFormat.named(name).scaledBy(ScaleRule.COVERING), largest),
          "of " + largest);
    }
  }

  private static int scale(NarrowFormat format, float largest) {
    return NarrowMatrix.quantize(format, 1, 3, new float[] {0, -largest, largest / 2}).scales()[0] & 0xFF;
  }

  @Test
  void theLargestBlockOfAFactorHasTheLargestScale() {
    var values = new float[64];
    values[0] = 1000;
    values[20] = 5;
    var matrix = NarrowMatrix.quantize(NarrowFormat.named("nvf4"), 1, 64, values);
    assertEquals(1000f / 2688, matrix.factor());
    assertEquals(0x7E, matrix.scales()[0]);
    assertEquals(1000, matrix.value(0, 0), 1e-4);
    // 5/6 of 1/factor is 2.24: 2.25 is the nearest scale, and 6 the nearest element.
    assertEquals(2.25 * 6 * (1000 / 2688.0), matrix.value(0, 20), 1e-6);
  }

  @ParameterizedTest
  @CsvSource({"mxf8, 255", "mxf6, 255", "mxf4, 255", "nvf4, 127"})
  void aBlockThatIsNotFiniteIsNotANumber(String name, int scale) {
    var format = NarrowFormat.named(name);
    for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
      var values = new float[64];
      Arrays.fill(values, 1);
      values[40] = bad;
      var matrix = NarrowMatrix.quantize(format, 1, 64, values);
      assertEquals(scale, matrix.scales()[32 / format.kind().block()] & 0xFF);
      for (int i = 0; i < 64; i++) {
        int at = i;
        assertEquals(i / format.kind().block() == 40 / format.kind().block(), Double.isNaN(matrix.value(0, i)),
            () -> name + " at " + at);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"mxf8", "mxf6", "mxf4", "nvf4"})
  void zerosKeepTheirSign(String name) {
    var matrix = NarrowMatrix.quantize(NarrowFormat.named(name), 1, 2, new float[] {0f, -0f});
    assertEquals(0.0, matrix.value(0, 0));
    assertEquals(-0.0, matrix.value(0, 1));
  }

  @Test
  void withoutScalesWhatIsNotFiniteIsRefused() {
    var problem = assertThrows(IllegalArgumentException.class, () -> quantized(MmaFormat.E2M1, 1, Float.NaN));
    assertTrue(problem.getMessage().contains("cannot quantize NaN in row 0"), problem.getMessage());
  }
}
