package tilewright.sm100;

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
    var matrix = NarrowMatrix.quantize(MmaKind.MXF4, MmaFormat.E2M1, rows, k, values);
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
    var four = NarrowMatrix.quantize(MmaKind.F8F6F4, MmaFormat.E2M1, 1, 4, new float[] {0.5f, 1, 6, -6});
    assertEquals(List.of((byte) 0x21, (byte) 0xF7), IntStream.range(0, 2).mapToObj(i -> four.elements()[i]).toList());
    // E3M2: 0.25 is code 4, 1 is 12, 28 is 31, -28 is 63.
    var six = NarrowMatrix.quantize(MmaKind.F8F6F4, MmaFormat.E3M2, 1, 4, new float[] {0.25f, 1, 28, -28});
    int word = 4 | 12 << 6 | 31 << 12 | 63 << 18;
    assertEquals(word, six.elements()[0] & 0xFF | (six.elements()[1] & 0xFF) << 8 | (six.elements()[2] & 0xFF) << 16);
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
    var matrix = NarrowMatrix.quantize(kind, format, 4, 128, values);
    for (int i = 0; i < values.length; i++) {
      int first = i / kind.block() * kind.block();
      double largest = IntStream.range(first, first + kind.block()).mapToDouble(j -> Math.abs(values[j])).max()
          .getAsDouble();
      double error = Math.abs(matrix.value(i / 128, i % 128) - values[i]);
      assertTrue(error <= bound * largest, "element " + i + " is off by " + error + " of " + largest);
    }
  }

  @Test
  void whatIsNotFiniteIsRefused() {
    var values = new float[64];
    Arrays.fill(values, 1);
    values[40] = Float.NaN;
    var problem = assertThrows(IllegalArgumentException.class,
        () -> NarrowMatrix.quantize(MmaKind.MXF4, MmaFormat.E2M1, 1, 64, values));
    assertTrue(problem.getMessage().contains("NaN in row 0 at 40"), problem.getMessage());
  }
}
