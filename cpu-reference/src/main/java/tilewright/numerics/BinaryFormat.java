package tilewright.numerics;

/**
 * A binary interchange format in the manner of IEEE 754: sign, exponent, fraction; all-ones exponents are infinities
 * and NaNs. No wider than a double in either field.
 */
record BinaryFormat(int exponentBits, int fractionBits) implements NumberFormat {
  private static final int DOUBLE_FRACTION = 52;

  @Override
  public int bits() {
    return 1 + exponentBits + fractionBits;
  }

  int maxExponent() {
    return (1 << exponentBits - 1) - 1;
  }

  @Override
  public int minExponent() {
    return 1 - maxExponent();
  }

  private long infinity() {
    return (1L << exponentBits) - 1 << fractionBits;
  }

  @Override
  public double decode(long pattern) {
    long magnitude = pattern & (1L << bits() - 1) - 1;
    double value = magnitude > infinity() ? Double.NaN : magnitude == infinity() ? Double.POSITIVE_INFINITY
        : finite(magnitude);
    return (pattern >>> bits() - 1 & 1) == 0 ? value : -value;
  }

  private double finite(long magnitude) {
    long exponent = magnitude >>> fractionBits;
    long fraction = magnitude & (1L << fractionBits) - 1;
    long significand = exponent == 0 ? fraction : fraction | 1L << fractionBits;
    return Math.scalb((double) significand, (int) Math.max(1, exponent) - 1 + minExponent() - fractionBits);
  }

  @Override
  public long nan() {
    return (1L << bits() - 1) - 1;
  }

  @Override
  public double ulp(double value) {
    int exponent = value == 0 ? minExponent() : Math.max(Math.getExponent(value), minExponent());
    return Math.scalb(1.0, Math.min(exponent, maxExponent()) - fractionBits);
  }

  @Override
  public long encode(double value, Rounding rounding) {
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
