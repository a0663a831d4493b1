package tilewright.simulator.arithmetic;

/** Tests which kind of number a lane's value is (PTX ISA, testp). */
public final class FloatClass {
  private FloatClass() {}

  public static boolean finite(double a) {
    return Double.isFinite(a);
  }

  public static boolean infinite(double a) {
    return Double.isInfinite(a);
  }

  public static boolean number(double a) {
    return a == a;
  }

  public static boolean notanumber(double a) {
    return a != a;
  }

  /** Zeros count as normal. */
  public static boolean normal(double a) {
    return Double.isFinite(a) && !subnormal(a);
  }

  public static boolean normal(float a) {
    return Float.isFinite(a) && !subnormal(a);
  }

  public static boolean subnormal(double a) {
    return a != 0 && Math.abs(a) < Double.MIN_NORMAL;
  }

  public static boolean subnormal(float a) {
    return a != 0 && Math.abs(a) < Float.MIN_NORMAL;
  }
}
