package tilewright.simulator.arithmetic;

/** Conversions between number formats on one lane (PTX ISA, cvt). Rounding modes are given by ordinal. */
public final class Conversions {
  public static final int NEAREST_EVEN = 0;
  public static final int ZERO = 1;
  public static final int DOWN = 2;
  public static final int UP = 3;
  public static final int NEAREST_AWAY = 4;
  private static final int NAN16 = 0x7FFF;
  private static final int TF32_DROPPED = 13;
  private static final int TF32_NAN = 0x7FFF_E000;

  private Conversions() {}

  public static float fromF16(int bits) {
    return Float.float16ToFloat((short) bits);
  }

  public static float fromBf16(int bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** Nearest even; every NaN becomes the hardware's. */
  public static int toF16(float a) {
    return a != a ? NAN16 : Float.floatToFloat16(a) & 0xFFFF;
  }

  public static int toBf16(float a) {
    if (a != a) return NAN16;
    int bits = Float.floatToRawIntBits(a);
    return bits + 0x7FFF + (bits >>> 16 & 1) >>> 16;
  }

  public static int toF16(double a, int mode) {
    return a != a ? NAN16 : round(a, 10, 5, mode);
  }

  public static int toBf16(double a, int mode) {
    return a != a ? NAN16 : round(a, 7, 8, mode);
  }

  public static float toF32(double a, int mode) {
    return a != a ? Float.intBitsToFloat(0x7FFF_FFFF) : Float.intBitsToFloat(round(a, 23, 8, mode));
  }

  /** Like {@link #toF32}, but a NaN keeps its sign and the upper bits of its payload. */
  public static float narrowToF32(double a, int mode) {
    return a != a ? (float) a : toF32(a, mode);
  }

  public static int narrowToF16(double a, int mode) {
    if (a == a) return toF16(a, mode);
    long bits = Double.doubleToRawLongBits(a);
    return (int) (bits >>> 48 & 0x8000 | 0x7E00 | bits >>> 42 & 0x3FF);
  }

  /** Like {@link #narrowToF16}, for bf16. */
  public static int narrowToBf16(double a, int mode) {
    if (a == a) return toBf16(a, mode);
    long bits = Double.doubleToRawLongBits(a);
    return (int) (bits >>> 48 & 0x8000 | 0x7FC0 | bits >>> 45 & 0x7F);
  }

  public static int canonicalF16(int a) {
    return (a & 0x7FFF) > 0x7C00 ? NAN16 : a;
  }

  /** An integer rounded to so many bits. */
  public static double rounded(long a, boolean unsigned, int precision, int mode) {
    boolean negative = !unsigned && a < 0;
    long magnitude = negative ? -a : a;
    int drop = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(magnitude) - precision);
    long quanta = magnitude >>> drop;
    long rest = magnitude - (quanta << drop);
    long half = drop == 0 ? 0 : 1L << drop - 1;
    boolean up = rest != 0 && switch (mode) {
      case NEAREST_EVEN -> Long.compareUnsigned(rest, half) > 0 || rest == half && (quanta & 1) != 0;
      case NEAREST_AWAY -> Long.compareUnsigned(rest, half) >= 0;
      case ZERO -> false;
      case DOWN -> negative;
      default -> !negative;
    };
    double value = Math.scalb((double) (up ? quanta + 1 : quanta), drop);
    return negative ? -value : value;
  }

  /** f32 to tf32, ties away from zero; the low bits of the result are zero. */
  public static float toTf32(float a) {
    if (a != a || Float.isInfinite(a)) {
      return Float.intBitsToFloat(Float.floatToRawIntBits(a) & -1 << TF32_DROPPED);
    }
    int bits = Float.floatToRawIntBits(a) + (1 << TF32_DROPPED - 1);
    return Float.intBitsToFloat(bits & -1 << TF32_DROPPED);
  }

  /** f32 to the bits of a tf32; every NaN becomes the hardware's. */
  static int toTf32(double a, int mode) {
    return a != a ? TF32_NAN : round(a, 10, 8, mode) << TF32_DROPPED;
  }

  /** Rounds once to a format of so many fraction and exponent bits. */
  private static int round(double a, int fractionBits, int exponentBits, int mode) {
    int sign = Double.doubleToRawLongBits(a) < 0 ? 1 << fractionBits + exponentBits : 0;
    int infinity = (1 << exponentBits) - 1 << fractionBits;
    if (Double.isInfinite(a)) return sign | infinity;
    double magnitude = Math.abs(a);
    if (magnitude == 0) return sign;
    int least = 2 - (1 << exponentBits - 1);
    int exponent = Math.max(Math.getExponent(magnitude), least);
    double quanta = Math.scalb(magnitude, fractionBits - exponent);
    double rounded = switch (mode) {
      case NEAREST_EVEN -> Math.rint(quanta);
      case NEAREST_AWAY -> Math.floor(quanta + 0.5);
      case ZERO -> Math.floor(quanta);
      case DOWN -> sign != 0 ? Math.ceil(quanta) : Math.floor(quanta);
      default -> sign != 0 ? Math.floor(quanta) : Math.ceil(quanta);
    };
    // The fraction's carry runs into the exponent, which is what rounding up to the next power of two means.
    int bits = (exponent - least << fractionBits) + (int) rounded;
    if (exponent > (1 << exponentBits - 1) - 1 || bits >= infinity) {
      boolean toInfinity = mode == NEAREST_EVEN || mode == NEAREST_AWAY || (sign != 0 ? mode == DOWN : mode == UP);
      return sign | (toInfinity ? infinity : infinity - 1);
    }
    return sign | bits;
  }

  /** Rounds to an integral value, kept as a floating-point number. */
  public static double integral(double a, int mode) {
    if (a != a) return DoubleNans.of(a, a, a);
    return switch (mode) {
      case NEAREST_EVEN -> Math.rint(a);
      case ZERO -> a < 0 ? Math.ceil(a) : Math.floor(a);
      case DOWN -> Math.floor(a);
      default -> Math.ceil(a);
    };
  }

  /** Converts to a signed integer of so many bits, clamped. */
  public static int toSigned(double a, int mode, int bits, int notANumber) {
    double r = integral(a, mode);
    return r != r ? notANumber : (int) Math.clamp(r, -Math.scalb(1.0, bits - 1), Math.scalb(1.0, bits - 1) - 1);
  }

  public static int toUnsigned(double a, int mode, int bits, int notANumber) {
    double r = integral(a, mode);
    return r != r ? notANumber : (int) (long) Math.clamp(r, 0, Math.scalb(1.0, bits) - 1);
  }

  /** Converts to 64 bits; NaN becomes the most negative number. */
  public static long toSigned64(double a, int mode) {
    return a != a ? Long.MIN_VALUE : (long) integral(a, mode);
  }

  public static long toUnsigned64(double a, int mode) {
    double r = integral(a, mode);
    if (r != r) return Long.MIN_VALUE;
    if (r <= 0) return 0;
    double half = 0x1p63;
    return r < half ? (long) r : r >= 2 * half ? -1 : (long) (r - half) | Long.MIN_VALUE;
  }

  public static float unsignedToFloat(long a) {
    // Halving keeps the lost bit as a sticky one, so the one rounding is right.
    return a >= 0 ? (float) a : (float) (a >>> 1 | a & 1) * 2;
  }

  public static double unsignedToDouble(long a) {
    return a >= 0 ? (double) a : (double) (a >>> 1 | a & 1) * 2;
  }

  /** An integer clamped to the range of another integer type. */
  public static long clampSigned(long a, boolean unsigned, int bits) {
    if (unsigned && a < 0) return (1L << bits - 1) - 1;
    return bits == 64 ? a : Math.clamp(a, -(1L << bits - 1), (1L << bits - 1) - 1);
  }

  public static long clampUnsigned(long a, boolean unsigned, int bits) {
    if (!unsigned && a < 0) return 0;
    return bits == 64 ? a : Long.compareUnsigned(a, (1L << bits) - 1) > 0 ? (1L << bits) - 1 : a;
  }
}
