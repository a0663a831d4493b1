package tilewright.simulator.arithmetic;

import java.math.BigDecimal;
import java.util.function.Supplier;

/**
 * Arithmetic with another rounding than to nearest (see {@link Conversions} for the modes): the nearest result moves
 * one step when it lies on the wrong side of the exact one.
 */
public final class DirectedMath {
  /** The factor that takes a quotient at the border of the normal numbers away from it. */
  private static final float SCALE = 0x1p64f;

  private DirectedMath() {}

  /** Rounds what lies beside {@code nearest}: {@code side} is the sign of the exact result minus the nearest. */
  private static double step(double nearest, int side, int mode) {
    boolean down = mode == Conversions.DOWN || mode == Conversions.ZERO && nearest > 0;
    boolean up = mode == Conversions.UP || mode == Conversions.ZERO && nearest < 0;
    if (side < 0 && down) return Math.nextDown(nearest);
    return side > 0 && up ? Math.nextUp(nearest) : nearest;
  }

  private static float step(float nearest, int side, int mode) {
    boolean down = mode == Conversions.DOWN || mode == Conversions.ZERO && nearest > 0;
    boolean up = mode == Conversions.UP || mode == Conversions.ZERO && nearest < 0;
    if (side < 0 && down) return Math.nextDown(nearest);
    return side > 0 && up ? Math.nextUp(nearest) : nearest;
  }

  /** @param exact the result, which is finite where {@code operands} are */
  private static double round(double nearest, int mode, Supplier<BigDecimal> exact, double... operands) {
    for (double operand : operands) if (!Double.isFinite(operand)) return nearest;
    var value = exact.get();
    // Nearest rounding gives +0 for an exact sum of zero, rounding down -0.
    if (value.signum() == 0) return nearest;
    int side = Double.isInfinite(nearest) ? nearest > 0 ? -1 : 1 : value.compareTo(new BigDecimal(nearest));
    return step(nearest, side, mode);
  }

  private static boolean sign(double a) {
    return Double.doubleToRawLongBits(a) < 0;
  }

  public static double add(double a, double b, int mode) {
    double rounded = round(DoubleNans.add(a, b), mode, () -> new BigDecimal(a).add(new BigDecimal(b)), a, b);
    boolean cancels = Double.isFinite(a) && a == -b && (a != 0 || sign(a) != sign(b));
    return cancels && mode == Conversions.DOWN ? -0.0 : rounded;
  }

  public static double sub(double a, double b, int mode) {
    return b != b ? DoubleNans.sub(a, b) : add(a, -b, mode);
  }

  public static double mul(double a, double b, int mode) {
    return round(DoubleNans.mul(a, b), mode, () -> new BigDecimal(a).multiply(new BigDecimal(b)), a, b);
  }

  public static double fma(double a, double b, double c, int mode) {
    double nearest = DoubleNans.fma(a, b, c);
    double rounded = round(nearest, mode, () -> exact(a, b, c), a, b, c);
    boolean opposite = (sign(a) != sign(b)) != sign(c);
    return rounded == 0 && mode == Conversions.DOWN && opposite && exact(a, b, c).signum() == 0 ? -0.0 : rounded;
  }

  private static BigDecimal exact(double a, double b, double c) {
    return new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c));
  }

  public static double div(double a, double b, int mode) {
    double q = DoubleNans.div(a, b);
    if (!Double.isFinite(a) || !Double.isFinite(b) || a == 0 || b == 0) return q;
    int above = Double.isInfinite(q) ? q > 0 ? -1 : 1
        : new BigDecimal(a).compareTo(new BigDecimal(q).multiply(new BigDecimal(b))) * (b > 0 ? 1 : -1);
    return step(q, above, mode);
  }

  public static double rcp(double a, int mode) {
    return div(1, a, mode);
  }

  public static double sqrt(double a, int mode) {
    double q = FloatMath.sqrt(a);
    if (!(a > 0) || Double.isInfinite(a)) return q;
    var root = new BigDecimal(q);
    return step(q, new BigDecimal(a).compareTo(root.multiply(root)), mode);
  }

  public static float div(float a, float b, int mode) {
    float q = FloatMath.canonical(a / b);
    if (!Float.isFinite(a) || !Float.isFinite(b) || a == 0 || b == 0) return q;
    // The product of two floats is exact in a double.
    int above = Float.isInfinite(q) ? q > 0 ? -1 : 1 : Double.compare(a, (double) q * b) * (b > 0 ? 1 : -1);
    return step(q, above, mode);
  }

  public static float rcp(float a, int mode) {
    return div(1f, a, mode);
  }

  /** The quotient with {@code .ftz}; at the border of the normal numbers as {@link FloatMath#kept} has it. */
  public static float divFlush(float a, float b, int mode) {
    float q = div(a, b, mode);
    if (Math.abs(q) != Float.MIN_NORMAL) return q;
    // The same quotient where an f32 has all its bits.
    boolean flushed = Math.abs(div(a * SCALE, b, mode)) < Float.MIN_NORMAL * SCALE;
    return flushed ? Math.copySign(0f, q) : q;
  }

  public static float rcpFlush(float a, int mode) {
    return divFlush(1f, a, mode);
  }

  public static float sqrt(float a, int mode) {
    float q = FloatMath.canonical(FloatMath.sqrt(a));
    if (!(a > 0) || Float.isInfinite(a)) return q;
    return step(q, Double.compare(a, (double) q * q), mode);
  }
}
