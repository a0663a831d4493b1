package tilewright.numerics;

import java.util.Arrays;

/** Factors decoded once for many dot products of {@link TensorCoreModel}. Immutable. */
public final class TensorCoreOperands {
  /** Far enough from every finite number's exponent that a sum with one of these tells which it was. */
  private static final int OF_ZERO = -2048;
  private static final int OF_NO_NUMBER = 8192;

  private final ElementType type;
  private final long[] bits;
  private final double[] values;
  private final int[] exponents;

  /** @param bits of numbers of that type; higher bits are ignored */
  public TensorCoreOperands(ElementType type, long[] bits) {
    this.type = type;
    this.bits = bits.clone();
    this.values = Arrays.stream(bits).mapToDouble(type::toDouble).toArray();
    this.exponents = Arrays.stream(values).mapToInt(value -> exponent(value, type.minExponent())).toArray();
  }

  private TensorCoreOperands(ElementType type, long[] bits, double[] values, int[] exponents) {
    this.type = type;
    this.bits = bits;
    this.values = values;
    this.exponents = exponents;
  }

  /** The factors at some places, in their order. */
  public TensorCoreOperands select(int[] places) {
    var chosenBits = new long[places.length];
    var chosenValues = new double[places.length];
    var chosenExponents = new int[places.length];
    for (int i = 0; i < places.length; i++) {
      chosenBits[i] = bits[places[i]];
      chosenValues[i] = values[places[i]];
      chosenExponents[i] = exponents[places[i]];
    }
    return new TensorCoreOperands(type, chosenBits, chosenValues, chosenExponents);
  }

  public ElementType type() {
    return type;
  }

  public int count() {
    return bits.length;
  }

  long[] bits(int begin, int end) {
    return Arrays.copyOfRange(bits, begin, end);
  }

  /** The largest exponent of a product; far out of range if no product is a number other than zero or one is none. */
  static int largestExponent(TensorCoreOperands a, TensorCoreOperands b, int begin, int end) {
    int[] x = a.exponents;
    int[] y = b.exponents;
    int largest = 2 * OF_ZERO;
    for (int i = begin; i < end; i++) largest = Math.max(largest, x[i] + y[i]);
    return largest;
  }

  /** Sum of the products in units of {@code 1 / scale}, each truncated; for finite products only. */
  static long truncatedSum(TensorCoreOperands a, TensorCoreOperands b, int begin, int end, double scale) {
    double[] x = a.values;
    double[] y = b.values;
    long sum = 0;
    for (int i = begin; i < end; i++) sum += (long) (x[i] * y[i] * scale);
    return sum;
  }

  /** The exponent with which a number enters an alignment: a subnormal has that of the smallest normal one. */
  static int exponent(double value, int minExponent) {
    int exponent = Math.getExponent(value);
    if (exponent > Double.MAX_EXPONENT) return OF_NO_NUMBER;
    return value == 0 ? OF_ZERO : Math.max(exponent, minExponent);
  }
}
