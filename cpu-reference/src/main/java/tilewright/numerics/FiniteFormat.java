package tilewright.numerics;

/**
 * A small float without infinities, whose only NaNs have all exponent and fraction bits one (OCP 8-bit Floating Point
 * Specification, E4M3). What is beyond the largest number saturates to it.
 */
record FiniteFormat(int exponentBits, int fractionBits) implements NumberFormat {

  /** The format with one exponent more, whose infinity lies beyond every pattern of this one. */
  private BinaryFormat wider() {
    return new BinaryFormat(exponentBits + 1, fractionBits);
  }

  @Override
  public int bits() {
    return 1 + exponentBits + fractionBits;
  }

  @Override
  public int minExponent() {
    return 2 - (1 << exponentBits - 1);
  }

  @Override
  public double decode(long pattern) {
    long magnitude = pattern & nan();
    if (magnitude == nan()) return Double.NaN;
    double value = Math.scalb(wider().decode(magnitude), minExponent() - wider().minExponent());
    return (pattern >>> bits() - 1 & 1) == 0 ? value : -value;
  }

  @Override
  public long encode(double value, Rounding rounding) {
    long sign = Double.doubleToRawLongBits(value) >>> 63;
    long wide = wider().encode(Math.scalb(value, wider().minExponent() - minExponent()), rounding);
    return sign << bits() - 1 | Math.min(wide & (1L << bits()) - 1, nan() - 1);
  }

  @Override
  public long nan() {
    return (1L << bits() - 1) - 1;
  }

  @Override
  public double ulp(double value) {
    int exponent = value == 0 ? minExponent() : Math.max(Math.getExponent(value), minExponent());
    return Math.scalb(1.0, Math.min(exponent, 1 << exponentBits - 1) - fractionBits);
  }
}
