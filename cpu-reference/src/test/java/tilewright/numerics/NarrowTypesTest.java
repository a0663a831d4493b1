package tilewright.numerics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight-bit floats and integers against their definitions, every pattern. */
class NarrowTypesTest {

  @ParameterizedTest
  @CsvSource({"E4M3, 4, 3, 7", "E5M2, 5, 2, 15"})
  void everyPatternIsTheNumberOfItsFields(ElementType type, int exponentBits, int fractionBits, int bias) {
    for (int pattern = 0; pattern < 256; pattern++) {
      int exponent = pattern >> fractionBits & (1 << exponentBits) - 1;
      int fraction = pattern & (1 << fractionBits) - 1;
      double magnitude = exponent == 0 ? fraction * Math.pow(2, 1 - bias - fractionBits)
          : (1 + fraction * Math.pow(2, -fractionBits)) * Math.pow(2, exponent - bias);
      if (type == ElementType.E4M3 && (pattern & 0x7F) == 0x7F) magnitude = Double.NaN;
      if (type == ElementType.E5M2 && exponent == 31) magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
      double value = pattern < 128 ? magnitude : -magnitude;
      assertEquals(value, type.toDouble(pattern), "pattern " + pattern);
      if (!Double.isNaN(value) && !Double.isInfinite(value)) {
        assertEquals(pattern, type.fromDouble(value, Rounding.NEAREST_EVEN), "value " + value);
      }
    }
  }

  @Test
  void betweenTwoNumbersOfE4m3TheNearerIsTakenAndTheEvenOneInTheMiddle() {
    for (int pattern = 0; pattern < 0x7E; pattern++) {
      double low = ElementType.E4M3.toDouble(pattern);
      double high = ElementType.E4M3.toDouble(pattern + 1);
      assertEquals(high - low, ElementType.E4M3.ulp(low));
      double middle = (low + high) / 2;
      assertEquals(pattern + (pattern & 1), ElementType.E4M3.fromDouble(middle, Rounding.NEAREST_EVEN));
      assertEquals(pattern, ElementType.E4M3.fromDouble(Math.nextDown(middle), Rounding.NEAREST_EVEN));
      assertEquals(0x80 | pattern + 1, ElementType.E4M3.fromDouble(-Math.nextUp(middle), Rounding.NEAREST_EVEN));
    }
  }

  @Test
  void fourBitsAreTwosComplementAndSaturate() {
    for (int value = -8; value < 8; value++) {
      assertEquals(value, ElementType.I4.toDouble(value & 0xF), "pattern " + (value & 0xF));
      assertEquals(value & 0xF, ElementType.I4.fromDouble(value, Rounding.NEAREST_EVEN), "value " + value);
    }
    assertEquals(7, ElementType.I4.fromDouble(9.6, Rounding.NEAREST_EVEN));
    assertEquals(8, ElementType.I4.fromDouble(-9.6, Rounding.NEAREST_EVEN));
  }

  @Test
  void fourBitsHaveNoWholeByteButSeveralDo() {
    assertThrows(IllegalStateException.class, ElementType.I4::bytes);
    assertEquals(3, ElementType.I4.bytes(5));
    assertEquals(10, ElementType.BF16.bytes(5));
  }

  @Test
  void e4m3SaturatesAndHasNoInfinity() {
    assertEquals(448, ElementType.E4M3.round(1e9));
    assertEquals(-448, ElementType.E4M3.round(Double.NEGATIVE_INFINITY));
    assertTrue(Double.isNaN(ElementType.E4M3.round(Double.NaN)));
  }

  @Test
  void integersRoundSaturateAndTurnNanIntoZero() {
    assertEquals(-128, ElementType.I8.round(-1000));
    assertEquals(127, ElementType.I8.round(126.5001));
    assertEquals(2, ElementType.I8.round(2.5));
    assertEquals(-3, ElementType.I8.toDouble(ElementType.I8.fromDouble(-2.5, Rounding.NEAREST_AWAY)));
    assertEquals(-3, ElementType.I8.toDouble(ElementType.I8.fromDouble(-2.5, Rounding.DOWN)));
    assertEquals(-2, ElementType.I8.toDouble(ElementType.I8.fromDouble(-2.5, Rounding.TOWARD_ZERO)));
    assertEquals(3, ElementType.I8.toDouble(ElementType.I8.fromDouble(2.1, Rounding.UP)));
    assertEquals(0, ElementType.I32.round(Double.NaN));
    assertEquals(Integer.MIN_VALUE, ElementType.I32.round(-1e12));
    assertEquals(0xFFFFFFFFL, ElementType.I32.fromDouble(-1, Rounding.NEAREST_EVEN));
  }
}
