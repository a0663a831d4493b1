package tilewright.numerics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Conversions against the definition of IEEE 754 in exact decimal arithmetic. */
class ElementTypeTest {

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16"})
  void everyPatternStandsForTheNumberThatItsFieldsSay(ElementType type) {
    int fractionBits = type == ElementType.F16 ? 10 : 7;
    int exponentBits = 15 - fractionBits;
    int bias = (1 << exponentBits - 1) - 1;
    for (int bits = 0; bits < 1 << 16; bits++) {
      int exponent = bits >> fractionBits & (1 << exponentBits) - 1;
      int fraction = bits & (1 << fractionBits) - 1;
      double sign = bits >> 15 == 0 ? 1 : -1;
      double expected;
      if (exponent == (1 << exponentBits) - 1) expected = fraction == 0 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
      else if (exponent == 0) expected = sign * fraction * Math.pow(2, 1 - bias - fractionBits);
      else expected = sign * (fraction + (1 << fractionBits)) * Math.pow(2, exponent - bias - fractionBits);
      assertEquals(expected, type.toDouble(bits), "pattern " + Integer.toHexString(bits));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16"})
  void everyPatternComesBack(ElementType type) {
    for (int bits = 0; bits < 1 << 16; bits++) {
      double value = type.toDouble(bits);
      for (var rounding : Rounding.values()) {
        assertEquals(Double.isNaN(value) ? 0x7FFF : bits, type.fromDouble(value, rounding),
            "pattern " + Integer.toHexString(bits));
      }
    }
  }

  /** Between each two neighbours: the middle, just beside it, and just beside the neighbours, in every rounding. */
  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16"})
  void whatLiesBetweenNeighboursIsRoundedByTheDefinition(ElementType type) {
    int infinity = type == ElementType.F16 ? 0x7C00 : 0x7F80;
    for (int bits = 0; bits < infinity - 1; bits++) {
      double low = type.toDouble(bits);
      double high = type.toDouble(bits + 1);
      double middle = low + (high - low) / 2;
      for (double value : new double[] {
          Math.nextUp(low), Math.nextDown(middle), middle, Math.nextUp(middle), Math.nextDown(high)}) {
        var exact = new BigDecimal(value);
        int side = exact.subtract(new BigDecimal(low)).compareTo(new BigDecimal(high).subtract(exact));
        assertRounded(type, value, bits, bits + 1, side);
        assertRounded(type, -value, bits | 0x8000, bits + 1 | 0x8000, side);
      }
    }
  }

  /** @param side negative when the value is nearer to the pattern of smaller magnitude */
  private static void assertRounded(ElementType type, double value, long smaller, long larger, int side) {
    boolean negative = value < 0;
    long even = (smaller & 1) == 0 ? smaller : larger;
    long nearest = side < 0 ? smaller : side > 0 ? larger : even;
    assertEquals(nearest, type.fromDouble(value, Rounding.NEAREST_EVEN), "nearest even " + value);
    assertEquals(side < 0 ? smaller : larger, type.fromDouble(value, Rounding.NEAREST_AWAY), "nearest away " + value);
    assertEquals(smaller, type.fromDouble(value, Rounding.TOWARD_ZERO), "toward zero " + value);
    assertEquals(negative ? smaller : larger, type.fromDouble(value, Rounding.UP), "up " + value);
    assertEquals(negative ? larger : smaller, type.fromDouble(value, Rounding.DOWN), "down " + value);
  }

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16", "F32"})
  void beyondTheLargestNumberTheRoundingDecides(ElementType type) {
    double largest = type == ElementType.F16 ? 65504 : type == ElementType.BF16 ? 0x1.FEp127 : Float.MAX_VALUE;
    double beyond = Math.nextUp(largest + type.ulp(largest) / 2);
    assertEquals(Double.POSITIVE_INFINITY, type.toDouble(type.fromDouble(beyond, Rounding.NEAREST_EVEN)));
    assertEquals(largest, type.toDouble(type.fromDouble(beyond, Rounding.TOWARD_ZERO)));
    assertEquals(largest, type.toDouble(type.fromDouble(beyond, Rounding.DOWN)));
    assertEquals(Double.POSITIVE_INFINITY, type.toDouble(type.fromDouble(beyond, Rounding.UP)));
    assertEquals(-largest, type.toDouble(type.fromDouble(-beyond, Rounding.UP)));
    assertEquals(Double.NEGATIVE_INFINITY, type.toDouble(type.fromDouble(-beyond, Rounding.DOWN)));
  }

  /** The JDK rounds to nearest even; it is a second definition of that one rounding. */
  @Test
  void nearestEvenIsTheJdksConversion() {
    long seed = 42;
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000_000; i++) {
      float value = Float.intBitsToFloat(random.nextInt());
      if (Float.isNaN(value)) continue;
      assertEquals(Float.floatToFloat16(value) & 0xFFFF, ElementType.F16.fromDouble(value, Rounding.NEAREST_EVEN),
          "seed " + seed + ", " + value);
      double wide = Double.longBitsToDouble(random.nextLong());
      if (Double.isNaN(wide)) continue;
      long single = Float.floatToRawIntBits((float) wide) & 0xFFFFFFFFL;
      assertEquals(single, ElementType.F32.fromDouble(wide, Rounding.NEAREST_EVEN), "seed " + seed + ", " + wide);
    }
  }

  @Test
  void singlesAreRoundedInEveryDirectionByTheDefinition() {
    long seed = 43;
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 300_000; i++) {
      double value = Double.longBitsToDouble(random.nextLong(0x3600000000000000L, 0x47E0000000000000L));
      var down = Float.floatToRawIntBits((float) value);
      if (Float.intBitsToFloat(down) > value) down--;
      long exact = Float.intBitsToFloat(down) == value ? down : down + 1;
      assertEquals(down, ElementType.F32.fromDouble(value, Rounding.TOWARD_ZERO), "seed " + seed + ", " + value);
      assertEquals(down, ElementType.F32.fromDouble(value, Rounding.DOWN));
      assertEquals(exact, ElementType.F32.fromDouble(value, Rounding.UP));
    }
  }

  @Test
  void namesAreThoseOfPtx() {
    for (var type : ElementType.values()) assertEquals(type, ElementType.parse(type.text()).orElseThrow());
    assertTrue(ElementType.parse("float").isEmpty());
  }
}
