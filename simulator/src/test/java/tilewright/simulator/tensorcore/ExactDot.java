package tilewright.simulator.tensorcore;

import java.math.BigInteger;

/**
 * The definition of a tensor core's sum on big integers, in units of 2^-600: terms are aligned to the largest exponent,
 * cut below its last kept bit, added exactly and rounded once for each block.
 *
 * @param zero the exponent that zero terms count with
 * @param resultBits fraction bits of the sums: 10 for f16, rounded to nearest; 23, or fewer of them, for f32, truncated
 */
public record ExactDot(int fractionBits, int block, int zero, int resultBits) {
  private static final int UNIT = 600;

  /** What the largest exponent is for. */
  public enum Specials { INFINITIES_AND_NAN, NAN_OF_ALL_BITS, NONE }

  public record Format(int fraction, int exponentBits, Specials specials) {
    public Format(int fraction, int exponentBits) {
      this(fraction, exponentBits, Specials.INFINITIES_AND_NAN);
    }

    /** Of a type as PTX names it. */
    public static Format of(String type) {
      return switch (type) {
        case "f16" -> new Format(10, 5);
        case "bf16" -> new Format(7, 8);
        case "tf32" -> new Format(10, 8);
        case "e4m3" -> new Format(3, 4, Specials.NAN_OF_ALL_BITS);
        case "e5m2" -> new Format(2, 5);
        case "e3m2" -> new Format(2, 3, Specials.NONE);
        case "e2m3" -> new Format(3, 2, Specials.NONE);
        case "e2m1" -> new Format(1, 2, Specials.NONE);
        default -> throw new IllegalArgumentException("not multiplied as floating point: " + type);
      };
    }
  }

  /** A number by sign, significand, exponent of the significand's last bit, and the exponent it is aligned by. */
  private record Number(BigInteger units, int exponent, boolean infinite, boolean nan) {
    static Number of(int bits, Format format) {
      int fraction = format.fraction;
      int exponentBits = format.exponentBits;
      int field = bits >>> fraction & (1 << exponentBits) - 1;
      long significand = bits & (1 << fraction) - 1 | (field == 0 ? 0 : 1L << fraction);
      boolean negative = (bits >>> fraction + exponentBits & 1) != 0;
      boolean top = field == (1 << exponentBits) - 1;
      boolean special = top && switch (format.specials) {
        case INFINITIES_AND_NAN -> true;
        case NAN_OF_ALL_BITS -> significand == (2 << fraction) - 1;
        case NONE -> false;
      };
      int exponent = Math.max(field, 1) - ((1 << exponentBits - 1) - 1);
      var units = BigInteger.valueOf(negative ? -significand : significand);
      boolean infinite = special && significand == 1L << fraction;
      return new Number(units.shiftLeft(UNIT / 2 + exponent - fraction), exponent, infinite, special && !infinite);
    }
  }

  private boolean half() {
    return resultBits == 10;
  }

  /** The bits of the sum. */
  public int sum(int c, int[] a, Format left, int[] b, Format right) {
    int sum = c;
    for (int k = 0; k < a.length; k += block) sum = block(sum, a, left, b, right, k);
    return sum;
  }

  private int block(int c, int[] a, Format left, int[] b, Format right, int first) {
    boolean half = half();
    int last = Math.min(a.length, first + block);
    var units = new BigInteger[last - first + 1];
    var old = Number.of(c, half ? new Format(10, 5) : new Format(23, 8));
    units[0] = old.units().shiftLeft(UNIT / 2);
    int largest = units[0].signum() == 0 ? zero : old.exponent();
    boolean nan = old.nan();
    boolean positive = old.infinite() && old.units().signum() > 0;
    boolean negative = old.infinite() && old.units().signum() < 0;
    for (int k = first; k < last; k++) {
      var x = Number.of(a[k], left);
      var y = Number.of(b[k], right);
      var product = x.units().multiply(y.units());
      nan |= x.nan() || y.nan() || (x.infinite() || y.infinite()) && product.signum() == 0;
      positive |= (x.infinite() || y.infinite()) && product.signum() > 0;
      negative |= (x.infinite() || y.infinite()) && product.signum() < 0;
      units[k - first + 1] = product;
      largest = Math.max(largest, product.signum() == 0 ? zero : x.exponent() + y.exponent());
    }
    if (nan || positive && negative) return half ? 0x7FFF : 0x7FFF_FFFF;
    if (positive || negative) return (half ? 0x7C00 : 0x7F80_0000) | (negative ? half ? 0x8000 : 1 << 31 : 0);
    int dropped = Math.max(0, largest - fractionBits + UNIT);
    var total = BigInteger.ZERO;
    for (var u : units) {
      var cut = u.abs().shiftRight(dropped).shiftLeft(dropped);
      total = u.signum() < 0 ? total.subtract(cut) : total.add(cut);
    }
    return half ? rounded(total, 10, 5, true) : rounded(total, resultBits, 8, false) << 23 - resultBits;
  }

  private static int rounded(BigInteger sum, int fraction, int exponentBits, boolean nearest) {
    if (sum.signum() == 0) return 0;
    int bias = (1 << exponentBits - 1) - 1;
    var magnitude = sum.abs();
    int exponent = Math.max(magnitude.bitLength() - 1 - UNIT, 1 - bias);
    int dropped = exponent - fraction + UNIT;
    var kept = magnitude.shiftRight(dropped);
    int order = magnitude.subtract(kept.shiftLeft(dropped)).compareTo(BigInteger.ONE.shiftLeft(dropped - 1));
    if (nearest && (order > 0 || order == 0 && kept.testBit(0))) kept = kept.add(BigInteger.ONE);
    long infinity = (1L << exponentBits) - 1 << fraction;
    // A significand that has its leading one adds it to the exponent field.
    long bits = Math.min(((long) exponent + bias - 1 << fraction) + kept.longValueExact(), infinity);
    // What becomes zero has lost its sign.
    return (int) (sum.signum() < 0 && bits != 0 ? bits | 1L << fraction + exponentBits : bits);
  }
}
