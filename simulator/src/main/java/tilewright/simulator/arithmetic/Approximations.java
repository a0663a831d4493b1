package tilewright.simulator.arithmetic;

/**
 * Approximate instructions of PTX that keep subnormals, and quotients: what ptxas puts around the special function
 * unit, whose operands and results it scales out of the subnormal range and back.
 */
public final class Approximations {
  /** The magnitude from which some reciprocals are subnormal. */
  private static final float LARGE = 0x1p126f;

  private Approximations() {}

  private static boolean subnormal(float a) {
    return Math.abs(a) < Float.MIN_NORMAL;
  }

  public static float rcp(float a) {
    float scale = Math.abs(a) > LARGE ? 0.25f : subnormal(a) ? 0x1p24f : 1;
    return FloatMath.canonical(SpecialFunctions.rcp(a * scale) * scale);
  }

  public static float sqrt(float a) {
    return subnormal(a) ? SpecialFunctions.sqrt(a * 0x1p24f) * 0x1p-12f : SpecialFunctions.sqrt(a);
  }

  public static float rsqrt(float a) {
    return subnormal(a) ? SpecialFunctions.rsqrt(a * 0x1p24f) * 0x1p12f : SpecialFunctions.rsqrt(a);
  }

  /** {@code rsqrt.approx.f64}: the unit's value and one step of third order, as ptxas writes it. */
  public static double rsqrt(double a) {
    if (a != a || Double.isInfinite(a) || a <= 0) return special(a);
    return a < Double.MIN_NORMAL ? refined(a * 0x1p54) * 0x1p27 : refined(a);
  }

  private static double special(double a) {
    if (a != a) return DoubleNans.add(a, a);
    if (a == 0) return 1 / a;
    return a < 0 ? DoubleNans.INVALID : 0;
  }

  private static double refined(double a) {
    double y = SpecialFunctions.rsqrt(a);
    double error = Math.fma(a, -(y * y), 1);
    return Math.fma(Math.fma(error, 0.375, 0.5), y * error, y);
  }

  /** Operands below -126 are halved and the result is squared, so that it may be subnormal. */
  public static float ex2(float a) {
    if (!(a < -126)) return SpecialFunctions.ex2(a);
    float root = SpecialFunctions.ex2(a * 0.5f);
    return root * root;
  }

  public static float lg2(float a) {
    return subnormal(a) ? SpecialFunctions.lg2(a * 0x1p24f) - 24 : SpecialFunctions.lg2(a);
  }

  /** {@code div.approx}. */
  public static float div(float a, float b) {
    return subnormal(b) ? product(a * 0x1p24f, b * 0x1p24f) : product(a, b);
  }

  /** {@code div.approx.ftz}, of operands that are not subnormal. */
  public static float divFlush(float a, float b) {
    return FloatMath.mulFlush(a, SpecialFunctions.rcp(b));
  }

  /** {@code div.full}. */
  public static float divFull(float a, float b) {
    return Math.abs(b) > LARGE ? product(a * 0.25f, b * 0.25f) : div(a, b);
  }

  /** {@code div.full.ftz}, of operands that are not subnormal. */
  public static float divFullFlush(float a, float b) {
    return Math.abs(b) > LARGE ? divFlush(FloatMath.mulFlush(a, 0.25f), b * 0.25f) : divFlush(a, b);
  }

  private static float product(float a, float b) {
    return FloatMath.canonical(a * SpecialFunctions.rcp(b));
  }
}
