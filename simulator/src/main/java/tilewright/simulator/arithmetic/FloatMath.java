package tilewright.simulator.arithmetic;

/** Floating-point instructions of f32, f64 and f32x2 on one lane, where the JVM has none of the same meaning. */
public final class FloatMath {
  /** The NaN that the hardware's f32 arithmetic gives. */
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  /** The largest number of 24 bits below the normal ones. */
  private static final double LARGEST_FLUSHED = 0x1.fffffep-127;
  /** Halfway from it to the least normal number, which is even. */
  private static final double TIE = 0x1.ffffffp-127;

  private FloatMath() {}

  /** Every NaN becomes the hardware's. */
  public static float canonical(float a) {
    return a == a ? a : NAN;
  }

  /** Subnormals become zeros of their sign. */
  public static float flush(float a) {
    return Math.abs(a) < Float.MIN_NORMAL ? Math.copySign(0f, a) : a;
  }

  public static double flush(double a) {
    return Math.abs(a) < Double.MIN_NORMAL ? Math.copySign(0.0, a) : a;
  }

  /** Clamps to 0…1; NaN becomes +0. */
  public static float saturate(float a) {
    return a >= 1 ? 1 : a > 0 ? a : 0f;
  }

  public static double saturate(double a) {
    return a >= 1 ? 1 : a > 0 ? a : 0.0;
  }

  public static float min(float a, float b) {
    return a != a ? b != b ? NAN : b : b != b ? a : Math.min(a, b);
  }

  public static float max(float a, float b) {
    return a != a ? b != b ? NAN : b : b != b ? a : Math.max(a, b);
  }

  public static float minNaN(float a, float b) {
    return a != a || b != b ? NAN : Math.min(a, b);
  }

  public static float maxNaN(float a, float b) {
    return a != a || b != b ? NAN : Math.max(a, b);
  }

  public static double min(double a, double b) {
    return a != a ? DoubleNans.of(b, b, a) : b != b ? a : Math.min(a, b);
  }

  public static double max(double a, double b) {
    return a != a ? DoubleNans.of(b, b, a) : b != b ? a : Math.max(a, b);
  }

  public static float neg(float a) {
    return a != a ? NAN : -a;
  }

  public static float abs(float a) {
    return a != a ? NAN : Math.abs(a);
  }

  public static float rcp(float a) {
    return canonical(1 / a);
  }

  public static double rcp(double a) {
    return DoubleNans.div(1, a);
  }

  /** Correctly rounded: a double has more than twice the bits of a float. */
  public static float sqrt(float a) {
    return canonical((float) Math.sqrt(a));
  }

  public static double sqrt(double a) {
    return DoubleNans.of(Math.sqrt(a), a, a);
  }

  /** {@code copysign}: the magnitude of the second operand with the sign of the first. */
  public static float copysign(float sign, float magnitude) {
    return Math.copySign(magnitude, sign);
  }

  public static double copysign(double sign, double magnitude) {
    return Math.copySign(magnitude, sign);
  }

  /** The sum, with its last bit set if it is inexact, so that rounding it to fewer bits is right. */
  static double sticky(double a, double b) {
    double sum = a + b;
    if (!Double.isFinite(sum)) return sum;
    double part = sum - a;
    double error = a - (sum - part) + (b - part);
    if (error == 0) return sum;
    long bits = Double.doubleToRawLongBits(sum);
    if ((bits & 1) != 0) return sum;
    boolean away = error > 0 == sum > 0;
    return Double.longBitsToDouble(away ? bits + 1 : bits - 1);
  }

  /** Addition with another rounding than to nearest; see {@link Conversions}. */
  public static float add(float a, float b, int mode) {
    return Conversions.toF32(sum(a, b, mode), mode);
  }

  public static float sub(float a, float b, int mode) {
    return Conversions.toF32(sum(a, -b, mode), mode);
  }

  /** Like {@link #sticky}, for a sum; what cancels is -0 when rounding down. */
  private static double sum(double a, double b, int mode) {
    double sum = sticky(a, b);
    boolean opposite = Double.doubleToRawLongBits(a) < 0 != Double.doubleToRawLongBits(b) < 0;
    return sum == 0 && mode == Conversions.DOWN && opposite ? -0.0 : sum;
  }

  public static float mul(float a, float b, int mode) {
    return Conversions.toF32((double) a * b, mode);
  }

  /** The product with {@code .ftz}; see {@link #kept}. */
  public static float mulFlush(float a, float b) {
    return kept(a * b, (double) a * b, Conversions.NEAREST_EVEN);
  }

  public static float mulFlush(float a, float b, int mode) {
    return kept(mul(a, b, mode), (double) a * b, mode);
  }

  public static float fmaFlush(float a, float b, float c) {
    float result = Math.fma(a, b, c);
    boolean border = Math.abs(result) == Float.MIN_NORMAL;
    return border ? kept(result, sticky((double) a * b, c), Conversions.NEAREST_EVEN) : canonical(result);
  }

  public static float fmaFlush(float a, float b, float c, int mode) {
    return kept(fma(a, b, c, mode), sticky((double) a * b, c), mode);
  }

  /**
   * A result with {@code .ftz} at the border of the normal numbers. The hardware rounds to 24 bits first, at any
   * exponent, and flushes what is then below 2⁻¹²⁶. An f32 has fewer bits there and may already have been rounded up to
   * a normal number (recorded on an H200).
   */
  static float kept(float result, double exact, int mode) {
    double magnitude = Math.abs(exact);
    boolean away = exact < 0 ? mode == Conversions.DOWN : mode == Conversions.UP;
    boolean flushed = mode == Conversions.NEAREST_EVEN ? magnitude < TIE
        : away ? magnitude <= LARGEST_FLUSHED : magnitude < Float.MIN_NORMAL;
    return flushed ? Math.copySign(0f, result) : canonical(result);
  }

  public static float fma(float a, float b, float c, int mode) {
    return Conversions.toF32(sum((double) a * b, c, mode), mode);
  }

  /** An f32x2. */
  public static long pair(float high, float low) {
    return Float.floatToRawIntBits(low) & 0xFFFF_FFFFL | (long) Float.floatToRawIntBits(high) << 32;
  }
}
