package tilewright.simulator.arithmetic;

/** Comparisons on one lane. Ordered ones are false for NaN, those ending in {@code u} are true (PTX ISA, setp). */
public final class Compare {
  private Compare() {}

  public static boolean eq(int a, int b) {
    return a == b;
  }

  public static boolean ne(int a, int b) {
    return a != b;
  }

  public static boolean lt(int a, int b) {
    return a < b;
  }

  public static boolean le(int a, int b) {
    return a <= b;
  }

  public static boolean gt(int a, int b) {
    return a > b;
  }

  public static boolean ge(int a, int b) {
    return a >= b;
  }

  public static boolean lo(int a, int b) {
    return Integer.compareUnsigned(a, b) < 0;
  }

  public static boolean ls(int a, int b) {
    return Integer.compareUnsigned(a, b) <= 0;
  }

  public static boolean hi(int a, int b) {
    return Integer.compareUnsigned(a, b) > 0;
  }

  public static boolean hs(int a, int b) {
    return Integer.compareUnsigned(a, b) >= 0;
  }

  public static boolean eq(long a, long b) {
    return a == b;
  }

  public static boolean ne(long a, long b) {
    return a != b;
  }

  public static boolean lt(long a, long b) {
    return a < b;
  }

  public static boolean le(long a, long b) {
    return a <= b;
  }

  public static boolean gt(long a, long b) {
    return a > b;
  }

  public static boolean ge(long a, long b) {
    return a >= b;
  }

  public static boolean lo(long a, long b) {
    return Long.compareUnsigned(a, b) < 0;
  }

  public static boolean ls(long a, long b) {
    return Long.compareUnsigned(a, b) <= 0;
  }

  public static boolean hi(long a, long b) {
    return Long.compareUnsigned(a, b) > 0;
  }

  public static boolean hs(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0;
  }

  public static boolean eq(double a, double b) {
    return a == b;
  }

  public static boolean ne(double a, double b) {
    return a < b || a > b;
  }

  public static boolean lt(double a, double b) {
    return a < b;
  }

  public static boolean le(double a, double b) {
    return a <= b;
  }

  public static boolean gt(double a, double b) {
    return a > b;
  }

  public static boolean ge(double a, double b) {
    return a >= b;
  }

  public static boolean equ(double a, double b) {
    return !ne(a, b);
  }

  public static boolean neu(double a, double b) {
    return a != b;
  }

  public static boolean ltu(double a, double b) {
    return !(a >= b);
  }

  public static boolean leu(double a, double b) {
    return !(a > b);
  }

  public static boolean gtu(double a, double b) {
    return !(a <= b);
  }

  public static boolean geu(double a, double b) {
    return !(a < b);
  }

  public static boolean num(double a, double b) {
    return a == a && b == b;
  }

  public static boolean nan(double a, double b) {
    return a != a || b != b;
  }
}
