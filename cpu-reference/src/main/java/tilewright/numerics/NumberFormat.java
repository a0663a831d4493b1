package tilewright.numerics;

/** A number format: the number that each bit pattern stands for. */
sealed interface NumberFormat permits BinaryFormat, FiniteFormat, IntegerFormat {

  int bits();

  /** Exponent of the smallest normal number. */
  int minExponent();

  /** The number that the low {@link #bits()} stand for; higher ones are ignored. */
  double decode(long pattern);

  /** The pattern of {@code value}, which is not a NaN, rounded once. */
  long encode(double value, Rounding rounding);

  /** The pattern that stands for what is no number. */
  long nan();

  /** Distance to the next larger magnitude. */
  double ulp(double value);
}
