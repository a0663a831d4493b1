package tilewright.simulator.oracle;

import java.math.BigInteger;

/** An exact rational number; the denominator is positive. */
record Fraction(BigInteger numerator, BigInteger denominator) {
  static final Fraction ONE = of(BigInteger.ONE, 0);

  /** {@code significand · 2^exponent}. */
  static Fraction of(BigInteger significand, int exponent) {
    return new Fraction(significand, BigInteger.ONE).timesPowerOfTwo(exponent);
  }

  static Fraction of(BigInteger value) {
    return of(value, 0);
  }

  int signum() {
    return numerator.signum();
  }

  Fraction abs() {
    return new Fraction(numerator.abs(), denominator);
  }

  Fraction negate() {
    return new Fraction(numerator.negate(), denominator);
  }

  Fraction plus(Fraction other) {
    return new Fraction(numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
        denominator.multiply(other.denominator));
  }

  Fraction times(Fraction other) {
    return new Fraction(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
  }

  Fraction dividedBy(Fraction other) {
    var n = numerator.multiply(other.denominator);
    var d = denominator.multiply(other.numerator);
    return d.signum() < 0 ? new Fraction(n.negate(), d.negate()) : new Fraction(n, d);
  }

  /** A number that every format's rounding and comparison with a tie treats as the square root. */
  Fraction squareRoot() {
    int scale = 256 + 2 * denominator.bitLength();
    var parts = numerator.shiftLeft(2 * scale).divide(denominator).sqrtAndRemainder();
    boolean exact = parts[1].signum() == 0
        && numerator.shiftLeft(2 * scale).remainder(denominator).signum() == 0;
    return of(parts[0].shiftLeft(1).add(exact ? BigInteger.ZERO : BigInteger.ONE), -scale - 1);
  }

  Fraction timesPowerOfTwo(int exponent) {
    return exponent >= 0 ? new Fraction(numerator.shiftLeft(exponent), denominator)
        : new Fraction(numerator, denominator.shiftLeft(-exponent));
  }

  int compareTo(Fraction other) {
    return numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator));
  }

  /** Of a positive number: the e with 2^e ≤ this < 2^(e+1). */
  int exponent() {
    int estimate = numerator.bitLength() - denominator.bitLength();
    return compareTo(of(BigInteger.ONE, estimate)) < 0 ? estimate - 1 : estimate;
  }

  BigInteger toInteger(Format.Rounding mode) {
    var parts = numerator.divideAndRemainder(denominator);
    if (parts[1].signum() == 0) return parts[0];
    var away = BigInteger.valueOf(signum());
    int half = parts[1].abs().shiftLeft(1).compareTo(denominator);
    boolean up = switch (mode) {
      case ZERO -> false;
      case DOWN -> signum() < 0;
      case UP -> signum() > 0;
      case NEAREST_AWAY -> half >= 0;
      case NEAREST_EVEN -> half > 0 || half == 0 && parts[0].testBit(0);
    };
    return up ? parts[0].add(away) : parts[0];
  }
}
