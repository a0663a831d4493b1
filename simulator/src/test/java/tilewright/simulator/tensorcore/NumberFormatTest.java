package tilewright.simulator.tensorcore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.numerics.Rounding;

/** Number formats against the tables of OCP Microscaling, and rounding against a search of all numbers. */
class NumberFormatTest {
  @Test
  void valuesAreThoseOfTheTables() {
    assertValues(NumberFormat.E2M1, 0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6);
    assertEquals(28, NumberFormat.E3M2.decode(0x1F));
    assertEquals(0x1p-4, NumberFormat.E3M2.decode(1));
    assertEquals(7.5, NumberFormat.E2M3.decode(0x1F));
    assertEquals(0.125, NumberFormat.E2M3.decode(1));
    assertEquals(448, NumberFormat.E4M3.decode(0x7E));
    assertEquals(-0x1p-9, NumberFormat.E4M3.decode(0x81));
    assertTrue(Float.isNaN(NumberFormat.E4M3.decode(0xFF)));
    assertEquals(57344, NumberFormat.E5M2.decode(0x7B));
    assertEquals(Float.NEGATIVE_INFINITY, NumberFormat.E5M2.decode(0xFC));
    assertTrue(Float.isNaN(NumberFormat.E5M2.decode(0x7D)));
    assertEquals(0x1p-127f, NumberFormat.UE8M0.decode(0));
    assertEquals(0x1p127f, NumberFormat.UE8M0.decode(0xFE));
    assertTrue(Float.isNaN(NumberFormat.UE8M0.decode(0xFF)));
    assertEquals(448, NumberFormat.UE4M3.decode(0xFE));
    assertEquals(0x1.004p0f, NumberFormat.TF32.decode(Float.floatToIntBits(0x1.005p0f)));
  }

  private static void assertValues(NumberFormat format, double... expected) {
    for (int i = 0; i < expected.length; i++) {
      assertEquals(Double.valueOf(expected[i]), Double.valueOf(format.decode(i)), format + " " + i);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16"})
  void halvesDecodeAsTheJdkSays(NumberFormat format) {
    for (int bits = 0; bits < 1 << 16; bits++) {
      float expected = format == NumberFormat.F16
          ? Float.float16ToFloat((short) bits) : Float.intBitsToFloat(bits << 16);
      assertEquals(Float.valueOf(expected), Float.valueOf(format.decode(bits)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"E5M2", "E4M3", "E3M2", "E2M3", "E2M1", "UE8M0"})
  void roundingFindsTheNeighbourThatTheModeAsksFor(NumberFormat format) {
    var patterns = new ArrayList<Integer>();
    for (int bits = 0; bits < 1 << format.bits(); bits++) {
      float value = format.decode(bits);
      if (Float.isFinite(value) && Float.floatToRawIntBits(value) != 1 << 31) patterns.add(bits);
    }
    double[] values = patterns.stream().mapToDouble(format::decode).sorted().toArray();
    var random = new Random(7);
    for (int trial = 0; trial < 20_000; trial++) {
      int at = random.nextInt(values.length - 1);
      double low = values[at];
      double high = values[at + 1];
      double between = switch (random.nextInt(4)) {
        case 0 -> low;
        case 1 -> low / 2 + high / 2;
        case 2 -> Math.nextUp(low / 2 + high / 2);
        default -> low + (high - low) * random.nextDouble();
      };
      for (var mode : Rounding.values()) {
        double expected = expected(low, high, between, mode, format);
        assertEquals(expected, format.decode(format.encode(between, mode, true)), 0, between + " " + mode);
      }
    }
    assertEquals(values[values.length - 1], format.decode(format.encode(1e60, Rounding.NEAREST_EVEN, true)));
  }

  private static double expected(double low, double high, double x, Rounding mode, NumberFormat format) {
    if (x == low) return low;
    boolean lower = switch (mode) {
      case DOWN -> true;
      case UP -> false;
      case TOWARD_ZERO -> x > 0;
      default -> {
        int order = Double.compare(x - low, high - x);
        if (order != 0) yield order < 0;
        yield mode == Rounding.NEAREST_AWAY ? x < 0 : even(low, format);
      }
    };
    return lower ? low : high;
  }

  private static boolean even(double value, NumberFormat format) {
    int bits = 0;
    while (format.decode(bits) != value) bits++;
    // A format without fraction has significand one throughout, which is odd.
    return format != NumberFormat.UE8M0 && (bits & 1) == 0;
  }

  @Test
  void whatIsTooLargeIsInfiniteNanOrTheLargest() {
    assertEquals(0x7C, NumberFormat.E5M2.encode(1e9, Rounding.NEAREST_EVEN, false));
    assertEquals(0xFB, NumberFormat.E5M2.encode(-1e9, Rounding.TOWARD_ZERO, false));
    assertEquals(0x7F, NumberFormat.E4M3.encode(1e9, Rounding.NEAREST_EVEN, false));
    assertEquals(0xFE, NumberFormat.E4M3.encode(Double.NEGATIVE_INFINITY, Rounding.NEAREST_EVEN, true));
    assertEquals(0x7F, NumberFormat.E4M3.encode(Double.NaN, Rounding.NEAREST_EVEN, true));
    assertEquals(0x7, NumberFormat.E2M1.encode(Double.NaN, Rounding.NEAREST_EVEN, true));
    assertEquals(0x3F80_2000, NumberFormat.TF32.encode(0x1.003p0, Rounding.NEAREST_AWAY, false));
    assertEquals(0x7F80_0000, NumberFormat.TF32.encode(Float.MAX_VALUE, Rounding.NEAREST_AWAY, false));
    assertEquals(0xFF, NumberFormat.UE8M0.encode(Double.NaN, Rounding.UP, true));
  }
}
