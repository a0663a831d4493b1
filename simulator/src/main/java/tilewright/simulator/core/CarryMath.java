package tilewright.simulator.core;

/** Extended-precision steps on one lane: sums and differences that take and give a carry (PTX ISA, add.cc to madc). */
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

  public static int sub(int a, int b, int borrow) {
    return a - b - borrow;
  }

  public static long sub(long a, long b, int borrow) {
    return a - b - borrow;
  }

  /** The borrow out of bit 31 of {@link #sub(int, int, int)}. */
  public static int subCarry(int a, int b, int borrow) {
    return (~a & b | (~a | b) & a - b - borrow) >>> 31;
  }

  public static int subCarry(long a, long b, int borrow) {
    return (int) ((~a & b | (~a | b) & a - b - borrow) >>> 63);
  }
}
