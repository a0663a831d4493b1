package tilewright.numerics;

/** Integers in two's complement. What is beyond them saturates and NaN becomes zero, as PTX converts. */
record IntegerFormat(int bits) implements NumberFormat {

  @Override
  public int minExponent() {
    return 0;
  }

  @Override
  public double decode(long pattern) {
    return pattern << Long.SIZE - bits >> Long.SIZE - bits;
  }

  @Override
  public long encode(double value, Rounding rounding) {
    double whole = switch (rounding) {
      case NEAREST_EVEN -> Math.rint(value);
      case TOWARD_ZERO -> value < 0 ? Math.ceil(value) : Math.floor(value);
      case DOWN -> Math.floor(value);
      case UP -> Math.ceil(value);
      case NEAREST_AWAY -> Math.copySign(Math.floor(Math.abs(value) + 0.5), value);
    };
    long most = (1L << bits - 1) - 1;
    return Math.clamp((long) whole, -most - 1, most) & (most << 1 | 1);
  }

  @Override
  public long nan() {
    return 0;
  }

  @Override
  public double ulp(double value) {
    return 1;
  }
}
