package tilewright.simulator.arithmetic;

import java.math.BigDecimal;
import java.util.function.Supplier;

/**
 * Arithmetic with another rounding than to nearest (see {@link Conversions} for the modes): the nearest result moves
 * one step when it lies on the wrong side of the exact one. The error of the nearest result is a double itself, or the
 * sum of two, where nothing overflows or underflows (Muller et al., Handbook of Floating-Point Arithmetic, chapters 4
 * and 5); big numbers decide the rest.
 */
public final class DirectedMath {
  /** The factor that takes a quotient at the border of the normal numbers away from it. */
  private static final float SCALE = 0x1p64f;

  /** Between these magnitudes no error of a product or quotient underflows, and no sum of two overflows. */
  private static final double SMALL = 0x1p-900;
  private static final double LARGE = 0x1p900;

  private DirectedMath() {}

  private static boolean isModerate(double a) {
    double magnitude = Math.abs(a);
    return magnitude >= SMALL && magnitude <= LARGE;
  }

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
    double sum = a + b;
    if (sum != 0 && Math.abs(sum) <= LARGE) {
      double larger = Math.abs(a) >= Math.abs(b) ? a : b;
      double smaller = larger == a ? b : a;
      return step(sum, sign(smaller - (sum - larger), 0), mode);
    }
    double rounded = round(DoubleNans.add(a, b), mode, () -> new BigDecimal(a).add(new BigDecimal(b)), a, b);
    boolean cancels = Double.isFinite(a) && a == -b && (a != 0 || sign(a) != sign(b));
    return cancels && mode == Conversions.DOWN ? -0.0 : rounded;
  }

  public static double sub(double a, double b, int mode) {
    return b != b ? DoubleNans.sub(a, b) : add(a, -b, mode);
  }

  public static double mul(double a, double b, int mode) {
    double product = a * b;
    if (isModerate(product)) return step(product, sign(Math.fma(a, b, -product), 0), mode);
    return round(DoubleNans.mul(a, b), mode, () -> new BigDecimal(a).multiply(new BigDecimal(b)), a, b);
  }

  public static double fma(double a, double b, double c, int mode) {
    double nearest = DoubleNans.fma(a, b, c);
    if (nearest != 0 && isModerate(a * b) && Math.abs(c) <= LARGE) {
      return step(nearest, sideOfFma(a, b, c, nearest), mode);
    }
    double rounded = round(nearest, mode, () -> exact(a, b, c), a, b, c);
    boolean opposite = (sign(a) != sign(b)) != sign(c);
    return rounded == 0 && mode == Conversions.DOWN && opposite && exact(a, b, c).signum() == 0 ? -0.0 : rounded;
  }

  /** The sign of {@code a·b + c - nearest} (Boldo and Muller, Exact and Approximated Error of the FMA, 2011). */
  private static int sideOfFma(double a, double b, double c, double nearest) {
    double product = a * b;
    double below = Math.fma(a, b, -product);
    double low = c + below;
    double lowError = errorOfSum(c, below, low);
    double high = product + low;
    double highError = errorOfSum(product, low, high);
    return sign((high - nearest) + highError, lowError);
  }

  private static double errorOfSum(double a, double b, double sum) {
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
  }

  /** The sign of a sum. */
  private static int sign(double a, double b) {
    return (int) Math.signum(a + b);
  }

  private static BigDecimal exact(double a, double b, double c) {
    return new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c));
  }

  public static double div(double a, double b, int mode) {
    double q = DoubleNans.div(a, b);
    if (!Double.isFinite(a) || !Double.isFinite(b) || a == 0 || b == 0) return q;
    if (isModerate(a) && isModerate(q)) return step(q, sign(Math.fma(-q, b, a), 0) * (b > 0 ? 1 : -1), mode);
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
    if (isModerate(a)) return step(q, sign(Math.fma(-q, q, a), 0), mode);
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
