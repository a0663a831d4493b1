package tilewright.simulator.core;

/**
 * The hardware's approximate functions of f32. {@code rcp}, {@code sqrt}, {@code rsqrt} and {@code ex2} give an H200's
 * bits; {@code sin}, {@code cos} and {@code lg2} follow its steps around a function that is only as near as the PTX ISA
 * asks.
 */
public final class Approximations {
  private static final int FRACTION = 23;
  private static final int PLACES = 1 << FRACTION;
  private static final double TURN = 0x1p25;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  private Approximations() {}

  /** Each table is read when its function is first used. */
  private static final class Rcp {
    static final CorrectionTable TABLE = CorrectionTable.read("rcp.gz", PLACES);
  }

  private static final class Sqrt {
    static final CorrectionTable TABLE = CorrectionTable.read("sqrt.gz", 2 * PLACES);
  }

  private static final class Rsqrt {
    static final CorrectionTable TABLE = CorrectionTable.read("rsqrt.gz", 2 * PLACES);
  }

  private static final class Ex2 {
    static final CorrectionTable TABLE = CorrectionTable.read("ex2.gz", PLACES);
  }

  private static int fraction(float a) {
    return Float.floatToRawIntBits(a) & PLACES - 1;
  }

  public static float rcp(float a) {
    if (a != a) return NAN;
    if (a == 0 || Float.isInfinite(a)) return 1 / a;
    // Subnormal operands and results are scaled; the significand decides.
    float normal = Math.abs(a) < Float.MIN_NORMAL ? a * 0x1p24f : a;
    int scale = Math.getExponent(normal) - (normal == a ? 0 : 24);
    float significand = Math.abs(Math.scalb(normal, -Math.getExponent(normal)));
    float result = Rcp.TABLE.correct((float) (1.0 / significand), fraction(significand));
    return (float) Math.copySign(Math.scalb((double) result, -scale), a);
  }

  public static float sqrt(float a) {
    if (a != a || a < 0) return NAN;
    if (a == 0 || Float.isInfinite(a)) return a;
    int exponent = evenExponent(a);
    double significand = Math.scalb((double) a, -exponent);
    return Math.scalb(Sqrt.TABLE.correct((float) Math.sqrt(significand), place(significand)), exponent / 2);
  }

  public static float rsqrt(float a) {
    if (a != a || a < 0) return NAN;
    if (a == 0 || Float.isInfinite(a)) return 1 / a;
    int exponent = evenExponent(a);
    double significand = Math.scalb((double) a, -exponent);
    return Math.scalb(Rsqrt.TABLE.correct((float) (1 / Math.sqrt(significand)), place(significand)), -exponent / 2);
  }

  private static int evenExponent(float a) {
    return Math.getExponent((double) a) & -2;
  }

  /** Of a number from 1 to below 4. */
  private static int place(double significand) {
    return fraction((float) significand) + (significand >= 2 ? PLACES : 0);
  }

  /** Operands below -126 are halved and the result is squared, so that it may be subnormal. */
  public static float ex2(float a) {
    return a < -126 ? square(ex2Flush(a * 0.5f)) : ex2Flush(a);
  }

  private static float square(float a) {
    return a * a;
  }

  /** By the operand in fixed point with 23 bits of fraction; a negative fraction is complemented, not negated. */
  public static float ex2Flush(float a) {
    if (a != a) return NAN;
    if (a >= 128) return Float.POSITIVE_INFINITY;
    if (a < -150) return 0;
    long magnitude = (long) Math.scalb(Math.abs((double) a), FRACTION);
    boolean whole = (magnitude & PLACES - 1) == 0;
    long fixed = a >= 0 ? magnitude : whole ? -magnitude : ~magnitude;
    int place = (int) fixed & PLACES - 1;
    float root = Ex2.TABLE.correct((float) StrictMath.pow(2, Math.scalb((double) place, -FRACTION)), place);
    return (float) Math.scalb((double) root, (int) (fixed >> FRACTION));
  }

  /** The operand in turns, cut to a float and then to 25 bits of fraction, as the hardware reduces it. */
  private static double turns(float a) {
    double turns = Conversions.toF32((double) a * 0.15915494f, Conversions.ZERO) % 1.0;
    return (long) (turns * TURN) / TURN;
  }

  public static float sin(float a) {
    if (a != a || Float.isInfinite(a)) return NAN;
    double turns = turns(a);
    return turns == 0 ? Math.copySign(0f, a) : (float) Math.sin(2 * Math.PI * turns);
  }

  public static float cos(float a) {
    return a != a || Float.isInfinite(a) ? NAN : (float) Math.cos(2 * Math.PI * turns(a));
  }

  public static float tanh(float a) {
    return a != a ? NAN : (float) Math.tanh(a);
  }

  /** Exponent plus the significand's logarithm, cut to a float. */
  public static float lg2(float a) {
    if (a != a || a < 0) return NAN;
    if (a == 0 || Float.isInfinite(a)) return a == 0 ? Float.NEGATIVE_INFINITY : a;
    return Conversions.toF32(Math.log(a) / Math.log(2), Conversions.ZERO);
  }
}
