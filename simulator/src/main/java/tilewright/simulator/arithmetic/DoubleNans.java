package tilewright.simulator.arithmetic;

/**
 * Arithmetic of FP64 that may be NaN. As recorded on an H200, a NaN operand goes through made quiet: the second if
 * it is one, else the third, else the first. The JVM promises no choice.
 */
public final class DoubleNans {
  /** The NaN of an operation that has no result. */
  static final double INVALID = Double.longBitsToDouble(0xFFF8_0000_0000_0000L);

  private DoubleNans() {}

  private static double quiet(double a) {
    return Double.longBitsToDouble(Double.doubleToRawLongBits(a) | 0x0008_0000_0000_0000L);
  }

  /** A result: itself if it is a number, else the NaN that the operands, in order of preference, ask for. */
  static double of(double result, double first, double second) {
    return result == result ? result : first != first ? quiet(first) : second != second ? quiet(second) : INVALID;
  }

  public static double add(double a, double b) {
    return of(a + b, b, a);
  }

  /**
   * The bits of a sum that the L2 cache makes for {@code atom}, {@code red} and bulk reductions in global memory: a NaN
   * goes through as it is, signalling or not, the operand's before the one in memory.
   */
  public static long addInL2(long memory, long operand) {
    double a = Double.longBitsToDouble(memory);
    double b = Double.longBitsToDouble(operand);
    return b != b ? operand : a != a ? memory : Double.doubleToRawLongBits(of(a + b, a, b));
  }

  public static double sub(double a, double b) {
    return of(a - b, b, a);
  }

  public static double mul(double a, double b) {
    return of(a * b, b, a);
  }

  public static double fma(double a, double b, double c) {
    double result = Math.fma(a, b, c);
    return result == result ? result : b != b ? quiet(b) : of(result, c, a);
  }

  /** A software sequence, which prefers the first operand. */
  public static double div(double a, double b) {
    return of(a / b, a, b);
  }

  public static double neg(double a) {
    return a == a ? -a : quiet(a);
  }

  public static double abs(double a) {
    return a == a ? Math.abs(a) : quiet(a);
  }
}
