package tilewright.simulator.arithmetic;

/**
 * The special function unit's functions (MUFU), bit by bit those of an H200. But for {@code tanh} they take subnormal
 * operands for zero and give zero for subnormal results, as PTX with {@code .ftz} does; NaN is the hardware's. Those of
 * f64 read and write the upper word only, in which a significand has 20 bits of fraction.
 */
public final class SpecialFunctions {
  private static final int FRACTION = 23;
  private static final int ONE = 1 << FRACTION;
  private static final int REST = Interpolator.REST;
  private static final int REST_MASK = (1 << REST) - 1;
  private static final int BIAS = 127;
  private static final int UPPER_FRACTION = 20;
  private static final int UPPER_ONE = 1 << UPPER_FRACTION;
  private static final int UPPER_INFINITY = 0x7FF0_0000;
  private static final int UPPER_NAN = 0x7FFF_FFFF;
  private static final int BIAS_F64 = 1023;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  private static final int QUADRANT = FRACTION;
  private static final double TURN = 0x1p25;
  private static final int SINE_BITS = 37;
  private static final int LOG_BITS = 36;
  private static final int TANH_BITS = 43;
  private static final int TANH_LOWEST = -8;
  private static final int TANH_HIGHEST = 2;
  /** Binary logarithms of the segments of a binade, from {@link #TANH_LOWEST}. */
  private static final int[] TANH_SEGMENTS = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
  private static final int[] TANH_FIRST = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};

  private static final Interpolator RCP = Interpolator.of("rcp");
  private static final Interpolator SQRT = Interpolator.of("sqrt");
  private static final Interpolator RSQRT = Interpolator.of("rsqrt");
  private static final Interpolator EX2 = Interpolator.of("ex2");
  private static final Interpolator LG2 = Interpolator.of("lg2");
  private static final Interpolator SIN = Interpolator.of("sin");
  private static final Interpolator TANH = Interpolator.of("tanh");

  private SpecialFunctions() {}

  public static float rcp(float operand) {
    float a = FloatMath.flush(operand);
    if (a != a) return NAN;
    if (a == 0 || Float.isInfinite(a)) return 1 / a;
    int bits = Float.floatToRawIntBits(a);
    int significand = (int) (reciprocal(bits & ONE - 1) >> 16);
    return Math.copySign(positive(2 * BIAS - 1 - (bits >>> FRACTION & 0xFF), significand), a);
  }

  /** The reciprocal of a significand with that fraction, in units of 2⁻⁴⁰. */
  private static long reciprocal(int fraction) {
    // 128 segments: the rest has a bit less.
    return RCP.at(fraction >> REST - 1, fraction << 1 & REST_MASK);
  }

  /** {@code rcp.approx.ftz.f64}. */
  public static double rcp(double operand) {
    int a = upper(operand);
    int sign = a & Integer.MIN_VALUE;
    int magnitude = a & Integer.MAX_VALUE;
    if (magnitude > UPPER_INFINITY) return ofUpper(UPPER_NAN);
    if (magnitude < UPPER_ONE) return ofUpper(sign | UPPER_INFINITY);
    if (magnitude == UPPER_INFINITY) return ofUpper(sign);
    int fraction = (magnitude & UPPER_ONE - 1) << FRACTION - UPPER_FRACTION;
    int significand = (int) (reciprocal(fraction) >> 16 + FRACTION - UPPER_FRACTION);
    return ofUpper(sign | positiveUpper(2 * BIAS_F64 - 1 - (magnitude >>> UPPER_FRACTION), significand));
  }

  /** {@code rsqrt.approx.ftz.f64}. */
  public static double rsqrt(double operand) {
    int a = upper(operand);
    int magnitude = a & Integer.MAX_VALUE;
    if (magnitude < UPPER_ONE) return ofUpper(a & Integer.MIN_VALUE | UPPER_INFINITY);
    if (a < 0 || magnitude > UPPER_INFINITY) return ofUpper(UPPER_NAN);
    if (magnitude == UPPER_INFINITY) return 0;
    int exponent = (magnitude >>> UPPER_FRACTION) - BIAS_F64;
    int place = (magnitude & UPPER_ONE - 1) << FRACTION - UPPER_FRACTION | (exponent & 1) << FRACTION;
    int significand = (int) (root(place) >> 16 + FRACTION - UPPER_FRACTION);
    return ofUpper(positiveUpper(BIAS_F64 - 1 - (exponent >> 1), significand));
  }

  private static int upper(double a) {
    return (int) (Double.doubleToRawLongBits(a) >>> Integer.SIZE);
  }

  private static double ofUpper(int word) {
    return Double.longBitsToDouble((long) word << Integer.SIZE);
  }

  private static int positiveUpper(int biased, int significand) {
    int bits = (biased << UPPER_FRACTION) + significand - UPPER_ONE;
    return bits < UPPER_ONE ? 0 : bits;
  }

  public static float sqrt(float operand) {
    float a = FloatMath.flush(operand);
    if (a != a || a < 0) return NAN;
    if (a == 0 || Float.isInfinite(a)) return a;
    int exponent = Math.getExponent(a);
    int place = place(a, exponent);
    int significand = place == 0 ? ONE : (int) (SQRT.at(place >> REST, place & REST_MASK) >> 17);
    return positive(BIAS + (exponent >> 1), significand);
  }

  public static float rsqrt(float operand) {
    float a = FloatMath.flush(operand);
    if (a != a || a < 0) return NAN;
    if (a == 0 || Float.isInfinite(a)) return 1 / a;
    int exponent = Math.getExponent(a);
    int significand = (int) (root(place(a, exponent)) >> 16);
    return positive(BIAS - 1 - (exponent >> 1), significand);
  }

  /** The reciprocal square root at a place, in units of 2⁻⁴⁰. */
  private static long root(int place) {
    return place == 0 ? 2L * ONE << 16 : RSQRT.at(place >> REST, place & REST_MASK);
  }

  /** Where a number lies between two powers of four, in two times 2²³ places. */
  private static int place(float a, int exponent) {
    return Float.floatToRawIntBits(a) & ONE - 1 | (exponent & 1) << FRACTION;
  }

  /** A significand of 2²³ to 2²⁴ under a biased exponent. */
  private static float positive(int biased, int significand) {
    int bits = (biased << FRACTION) + significand - ONE;
    return bits < ONE ? 0 : Float.intBitsToFloat(bits);
  }

  /** By the operand in fixed point with 23 bits of fraction; a negative fraction is complemented, not negated. */
  public static float ex2(float a) {
    if (a != a) return NAN;
    if (a >= BIAS + 1) return Float.POSITIVE_INFINITY;
    if (a < -BIAS) return 0;
    int magnitude = (int) (Math.abs(a) * ONE);
    boolean whole = (magnitude & ONE - 1) == 0;
    int fixed = a >= 0 ? magnitude : whole ? -magnitude : ~magnitude;
    int fraction = fixed & ONE - 1;
    int significand = (int) (EX2.at(fraction >> REST, fraction & REST_MASK) >> 15);
    return positive((fixed >> FRACTION) + BIAS, significand);
  }

  public static float lg2(float operand) {
    float a = FloatMath.flush(operand);
    if (a != a || a < 0) return NAN;
    if (a == 0 || Float.isInfinite(a)) return a == 0 ? Float.NEGATIVE_INFINITY : a;
    if (a == 1) return 0;
    int fraction = Float.floatToRawIntBits(a) & ONE - 1;
    long log = ((long) Math.getExponent(a) << LOG_BITS) + (LG2.at(fraction >> REST, fraction & REST_MASK) >> 2);
    return log < 0 ? -cut(~log, LOG_BITS) : cut(log, LOG_BITS);
  }

  /** The sine of an operand in radians, which ptxas multiplies by 1/2π first. */
  public static float sin(float a) {
    if (a != a || Float.isInfinite(a)) return NAN;
    return sine(turns(a), Float.floatToRawIntBits(a) < 0);
  }

  /** The cosine of an operand in radians. */
  public static float cos(float a) {
    if (a != a || Float.isInfinite(a)) return NAN;
    return sine(turns(a) + ONE, false);
  }

  /** The magnitude in turns, cut to a float and then to 25 bits of fraction; whole turns are dropped. */
  private static int turns(float a) {
    float turns = Math.abs(Conversions.toF32((double) a * 0.15915494f, Conversions.ZERO));
    return turns >= TURN ? 0 : (int) ((long) (turns * TURN) & (1 << QUADRANT + 2) - 1);
  }

  private static float sine(int turns, boolean negative) {
    int fraction = ((turns >> QUADRANT & 1) == 0 ? turns : ~turns) & ONE - 1;
    float value = cut(SIN.at(fraction >> REST, fraction & REST_MASK), SINE_BITS);
    return (turns >> QUADRANT + 1 & 1) != 0 == negative ? value : -value;
  }

  /** By binades of 1 to 16 segments from 2⁻⁸ to 8; itself below them, 1 above. */
  public static float tanh(float a) {
    if (a != a) return NAN;
    int binade = Math.getExponent(a);
    if (binade < TANH_LOWEST) return a;
    if (binade > TANH_HIGHEST) return Math.copySign(1, a);
    int segments = TANH_SEGMENTS[binade - TANH_LOWEST];
    int fraction = Float.floatToRawIntBits(a) & ONE - 1;
    int place = fraction >> FRACTION - REST - segments;
    int segment = TANH_FIRST[binade - TANH_LOWEST] + (place >> REST);
    return Math.copySign(cut(TANH.at(segment, place & REST_MASK), TANH_BITS), a);
  }

  /** A fixed-point number's 24 leading bits. */
  private static float cut(long value, int fractionBits) {
    int excess = Long.SIZE - 1 - FRACTION - Long.numberOfLeadingZeros(value);
    if (value == 0) return 0;
    long significand = excess >= 0 ? value >> excess : value << -excess;
    return Math.scalb((float) significand, excess - fractionBits);
  }
}
