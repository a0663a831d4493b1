package tilewright.numerics;

/**
 * A binary interchange format in the manner of IEEE 754: sign, exponent, fraction; all-ones exponents are infinities
 * and NaNs. No wider than a double in either field.
 */
record BinaryFormat(int exponentBits, int fractionBits) {
  private static final int DOUBLE_FRACTION = 52;

  int bits() {
    return 1 + exponentBits + fractionBits;
  }

  int maxExponent() {
    return (1 << exponentBits - 1) - 1;
  }

  int minExponent() {
    return 1 - maxExponent();
  }

  private long infinity() {
    return (1L << exponentBits) - 1 << fractionBits;
  }

  /** The pattern of {@code value}, which is not a NaN, rounded once. */
  long encode(double value, Rounding rounding) {
    long sign = Double.doubleToRawLongBits(value) >>> 63 << bits() - 1;
    if (Double.isInfinite(value)) return sign | infinity();
    return value == 0 ? sign : sign | magnitude(Math.abs(value), sign != 0, rounding);
  }

  private long magnitude(double value, boolean negative, Rounding rounding) {
    int exponent = Math.getExponent(value);
    long fraction = Double.doubleToRawLongBits(value) & (1L << DOUBLE_FRACTION) - 1;
    boolean subnormalDouble = exponent < Double.MIN_EXPONENT;
    long significand = subnormalDouble ? fraction : fraction | 1L << DOUBLE_FRACTION;
    if (subnormalDouble) exponent = Double.MIN_EXPONENT;

    int place = Math.max(exponent, minExponent());
    // Beyond 54 discarded bits nothing is kept and the discarded part is below a half, however far below.
    int discarded = Math.min(54, DOUBLE_FRACTION - fractionBits + place - exponent);
    long kept = significand >>> discarded;
    long rest = significand - (kept << discarded);
    // The leading one of kept adds one to the exponent field, and a carry out of the fraction does the same.
    long pattern = ((long) (place - minExponent()) << fractionBits) + kept;
    if (rest != 0 && rounding.increments(negative, (kept & 1) != 0, Long.compare(rest, 1L << discarded - 1))) pattern++;
    if (pattern < infinity()) return pattern;
    return rounding.overflowsToInfinity(negative) ? infinity() : infinity() - 1;
  }
}
