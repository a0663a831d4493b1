package tilewright.simulator.oracle;

import java.math.BigInteger;

/** A binary floating-point format, its values as exact fractions (IEEE 754-2019, 3.4). */
enum Format {
  F16(5, 10), BF16(8, 7), TF32(8, 10), F32(8, 23), F64(11, 52);

  /** How an exact value becomes one of the format. */
  enum Rounding { NEAREST_EVEN, NEAREST_AWAY, ZERO, DOWN, UP }

  final int exponentBits;
  final int fractionBits;

  Format(int exponentBits, int fractionBits) {
    this.exponentBits = exponentBits;
    this.fractionBits = fractionBits;
  }

  int bits() {
    return 1 + exponentBits + fractionBits;
  }

  long sign() {
    return 1L << exponentBits + fractionBits;
  }

  long infinity() {
    return (1L << exponentBits) - 1 << fractionBits;
  }

  /** The NaN that arithmetic gives, for formats other than F64. */
  long nan() {
    return this == F64 ? 0xFFF8_0000_0000_0000L : sign() - 1;
  }

  long magnitude(long value) {
    return value & sign() - 1;
  }

  boolean negative(long value) {
    return (value & sign()) != 0;
  }

  boolean isNan(long value) {
    return magnitude(value) > infinity();
  }

  boolean isInfinite(long value) {
    return magnitude(value) == infinity();
  }

  boolean isZero(long value) {
    return magnitude(value) == 0;
  }

  boolean isSubnormal(long value) {
    return !isZero(value) && magnitude(value) < 1L << fractionBits;
  }

  /** Subnormals become zeros of their sign. */
  long flush(long value) {
    return isSubnormal(value) ? value & sign() : value;
  }

  /** The exponent of the least normal number. */
  int least() {
    return 2 - (1 << exponentBits - 1);
  }

  /** The exact value of finite bits. */
  Fraction value(long value) {
    long field = magnitude(value) >>> fractionBits;
    long fraction = value & (1L << fractionBits) - 1;
    var significand = BigInteger.valueOf(field == 0 ? fraction : fraction | 1L << fractionBits);
    int exponent = (int) Math.max(field, 1) - 1 + least() - fractionBits;
    return Fraction.of(negative(value) ? significand.negate() : significand, exponent);
  }

  /** Rounds once; a zero gets the sign given. */
  long round(Fraction exact, boolean negativeZero, Rounding mode) {
    if (exact.signum() == 0) return negativeZero ? sign() : 0;
    boolean negative = exact.signum() < 0;
    var magnitude = exact.abs();
    int exponent = Math.max(magnitude.exponent(), least());
    var quanta = magnitude.timesPowerOfTwo(fractionBits - exponent).toInteger(negative ? mirrored(mode) : mode);
    // A carry out of the fraction runs into the exponent field, which is the next power of two.
    var bits = BigInteger.valueOf(exponent - least()).shiftLeft(fractionBits).add(quanta);
    boolean overflow = bits.compareTo(BigInteger.valueOf(infinity())) >= 0;
    long result = !overflow ? bits.longValueExact() : towardsZero(mode, negative) ? infinity() - 1 : infinity();
    return negative ? result | sign() : result;
  }

  private static boolean towardsZero(Rounding mode, boolean negative) {
    return mode == Rounding.ZERO || mode == (negative ? Rounding.UP : Rounding.DOWN);
  }

  private static Rounding mirrored(Rounding mode) {
    return mode == Rounding.UP ? Rounding.DOWN : mode == Rounding.DOWN ? Rounding.UP : mode;
  }
}
