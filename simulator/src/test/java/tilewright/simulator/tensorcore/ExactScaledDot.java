package tilewright.simulator.tensorcore;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import tilewright.simulator.Fp4Model;

/**
 * The definitions of block-scaled sums on big integers, in units of 2^-700, as the two models were published: terms of
 * a sum, the exponent of the last bit that is kept, and one truncation to an FP32 number.
 */
final class ExactScaledDot {
  private static final int UNIT = 700;
  private static final BigInteger ONE = BigInteger.ONE;

  private ExactScaledDot() {}

  /** A number as whole units. */
  static BigInteger units(double value) {
    if (value == 0) return BigInteger.ZERO;
    long bits = Double.doubleToRawLongBits(Math.abs(value));
    int exponent = (int) (bits >>> 52) - 1075;
    var magnitude = BigInteger.valueOf(bits & (1L << 52) - 1 | 1L << 52).shiftLeft(UNIT + exponent);
    return value < 0 ? magnitude.negate() : magnitude;
  }

  /** Toward zero to a multiple of 2^quantum. */
  private static BigInteger cut(BigInteger units, int quantum) {
    var kept = units.abs().shiftRight(UNIT + quantum).shiftLeft(UNIT + quantum);
    return units.signum() < 0 ? kept.negate() : kept;
  }

  private static float single(BigInteger units) {
    if (units.signum() == 0) return 0;
    int exponent = Math.max(units.abs().bitLength() - 1 - UNIT, -126);
    if (exponent > 127) return units.signum() < 0 ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
    var kept = units.abs().shiftRight(UNIT + exponent - 23);
    // What is cut to nothing has lost its sign, as in the sums of other kinds.
    if (kept.signum() == 0) return 0;
    float value = (float) Math.scalb(kept.doubleValue(), exponent - 23);
    return units.signum() < 0 ? -value : value;
  }

  private static int exponent(float c) {
    return Math.max(Math.getExponent(c), -126);
  }

  private static float sum(List<BigInteger> terms, int quantum) {
    return single(terms.stream().map(t -> cut(t, quantum)).reduce(BigInteger.ZERO, BigInteger::add));
  }

  /** kind::mxf8f6f4: every product is a term with the exponents of factors and scales. */
  static float bytes(Fp4Model model, float c, float[] a, int[] aExponents, float[] b, int[] bExponents, int scale) {
    var terms = new ArrayList<BigInteger>();
    int largest = Integer.MIN_VALUE;
    boolean zero = c == 0;
    boolean products = false;
    terms.add(units(c));
    if (c != 0) largest = exponent(c);
    for (int k = 0; k < a.length; k++) {
      var product = units((double) a[k] * b[k]);
      terms.add(scale >= 0 ? product.shiftLeft(scale) : product.shiftRight(-scale));
      if (product.signum() == 0) {
        zero = true;
      } else {
        products = true;
        largest = Math.max(largest, aExponents[k] + bExponents[k] + scale);
      }
    }
    if (model == Fp4Model.SF_TENSOR && !products) return c;
    if (model == Fp4Model.MMA_SIM && zero) largest = Math.max(largest, -133);
    return sum(terms, largest - 25);
  }

  /** A group of sixteen products of e2m1. */
  record Group(double[] products, int[] exponents, double aScale, double bScale, int scaleExponent) {
    BigInteger units(int first, int count) {
      double sum = 0;
      for (int k = first; k < first + count; k++) sum += products[k];
      return ExactScaledDot.units(sum * aScale * bScale);
    }

    boolean zero() {
      for (double p : products) if (p * aScale * bScale != 0) return false;
      return true;
    }

    int largest() {
      int largest = Integer.MIN_VALUE / 2;
      for (int k = 0; k < products.length; k++) {
        if (products[k] != 0) largest = Math.max(largest, exponents[k] + scaleExponent);
      }
      return largest;
    }
  }

  static float nibbles(Fp4Model model, boolean ue4m3, float c, List<Group> groups) {
    if (model == Fp4Model.MMA_SIM) {
      int largest = c == 0 ? -139 : exponent(c);
      for (var g : groups) largest = Math.max(largest, g.zero() ? -139 : g.scaleExponent());
      var terms = new ArrayList<BigInteger>();
      terms.add(units(c));
      for (var g : groups) terms.add(g.units(0, 16));
      return sum(terms, largest - 35);
    }
    var alive = groups.stream().filter(g -> !g.zero()).toList();
    if (alive.isEmpty()) return c;
    int product = alive.stream().mapToInt(Group::largest).max().orElseThrow();
    int scale = alive.stream().mapToInt(Group::scaleExponent).max().orElseThrow();
    boolean fromC = c != 0 && exponent(c) >= product;
    int quantum = fromC ? exponent(c) - 35
        : Math.max(Math.max(product, c == 0 ? product : exponent(c)) - 39, scale - 35);
    if (ue4m3) {
      var terms = new ArrayList<BigInteger>();
      terms.add(units(c));
      for (var g : alive) {
        for (int k = 0; k < 16; k += fromC ? 16 : 4) terms.add(g.units(k, fromC ? 16 : 4));
      }
      return sum(terms, quantum);
    }
    float result = groupwise(c, alive, quantum);
    if (result == 0 || Math.abs(result) >= Float.MIN_NORMAL) return result;
    var tiny = ONE.shiftLeft(UNIT - 174);
    var kept = alive.stream().filter(g -> g.scaleExponent() == scale || g.units(0, 16).abs().compareTo(tiny) >= 0);
    return groupwise(c, kept.toList(), quantum);
  }

  private static float groupwise(float c, List<Group> groups, int quantum) {
    var total = cut(units(c), quantum);
    for (var g : groups) {
      boolean below = c != 0 && exponent(c) >= g.largest();
      total = total.add(cut(g.units(0, 16), below ? Math.max(quantum, exponent(c) - 35) : quantum));
    }
    return single(total);
  }
}
