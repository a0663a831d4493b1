package tilewright.simulator.arithmetic;

/**
 * Extended-precision steps on one lane (PTX ISA, add.cc to madc). Differences are sums with the complement, so that the
 * flag is set where nothing is borrowed: code that goes on with {@code addc} after {@code subc} depends on it.
 */
public final class CarryMath {
  private CarryMath() {}

  public static int add(int a, int b, int carry) {
    return a + b + carry;
  }

  public static long add(long a, long b, int carry) {
    return a + b + carry;
  }

  /** The carry out of bit 31 of {@link #add(int, int, int)}. */
  public static int addCarry(int a, int b, int carry) {
    return (a & b | (a | b) & ~(a + b + carry)) >>> 31;
  }

  public static int addCarry(long a, long b, int carry) {
    return (int) ((a & b | (a | b) & ~(a + b + carry)) >>> 63);
  }
}
