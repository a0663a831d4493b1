package tilewright.simulator.tensorcore;

import tilewright.numerics.Rounding;

/**
 * A floating-point format of tensor-core operands and scales: which number each bit pattern stands for (PTX ISA,
 * Alternate floating-point data formats; OCP Microscaling 1.0). Every value is exact as an FP32 number.
 */
public enum NumberFormat {
  F16(5, 10, Specials.IEEE), BF16(8, 7, Specials.IEEE),
  /** The upper 19 bits of an FP32 number; {@link #decode} takes the whole FP32 number. */
  TF32(8, 10, Specials.IEEE),
  E5M2(5, 2, Specials.IEEE), E4M3(4, 3, Specials.NAN_ONLY), E3M2(3, 2, Specials.NONE), E2M3(2, 3, Specials.NONE),
  E2M1(2, 1, Specials.NONE),
  /** A power of two, biased by 127, without sign and zero: the scale of a block. */
  UE8M0(8, 0, Specials.NAN_ONLY),
  /** E4M3 without sign: the scale of a block; the eighth bit is ignored. */
  UE4M3(4, 3, Specials.NAN_ONLY);

  private static final int TF32_DROPPED = 13;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  /** The meaning of patterns with the largest exponent. */
  private enum Specials {
    /** Infinities and NaN. */
    IEEE,
    /** Numbers, but for NaN with all bits set. */
    NAN_ONLY,
    /** Numbers. */
    NONE
  }

  private final int exponentBits;
  private final int fractionBits;
  private final Specials specials;

  NumberFormat(int exponentBits, int fractionBits, Specials specials) {
    this.exponentBits = exponentBits;
    this.fractionBits = fractionBits;
    this.specials = specials;
  }

  /** Bits of one number; 32 for tf32. */
  public int bits() {
    return this == TF32 ? Float.SIZE : (signed() ? 1 : 0) + exponentBits + fractionBits;
  }

  private boolean signed() {
    return this != UE8M0 && this != UE4M3;
  }

  int bias() {
    return (1 << exponentBits - 1) - 1;
  }

  public int fractionBits() {
    return fractionBits;
  }

  int exponentBits() {
    return exponentBits;
  }

  /** The exponent that subnormals and the least normal numbers have. */
  public int leastExponent() {
    return this == UE8M0 ? -bias() : 1 - bias();
  }

  /** The number that the low bits stand for; every NaN is the canonical one. */
  public float decode(int bits) {
    int pattern = this == TF32 ? bits >>> TF32_DROPPED : bits;
    int magnitude = pattern & (1 << exponentBits + fractionBits) - 1;
    float value = Math.scalb((float) significand(magnitude), exponent(magnitude) - fractionBits);
    if (specials == Specials.IEEE && magnitude >= infinity()) {
      value = magnitude == infinity() ? Float.POSITIVE_INFINITY : NAN;
    } else if (specials == Specials.NAN_ONLY && magnitude == (1 << exponentBits + fractionBits) - 1) {
      value = NAN;
    }
    return signed() && (pattern >>> exponentBits + fractionBits & 1) != 0 && value == value ? -value : value;
  }

  private int infinity() {
    return (1 << exponentBits) - 1 << fractionBits;
  }

  private int significand(int magnitude) {
    boolean normal = magnitude >>> fractionBits != 0 || this == UE8M0;
    return magnitude & (1 << fractionBits) - 1 | (normal ? 1 << fractionBits : 0);
  }

  private int exponent(int magnitude) {
    return Math.max(leastExponent(), (magnitude >>> fractionBits) - bias());
  }

  /** The pattern of the largest finite number. */
  int largest() {
    return switch (specials) {
      case IEEE -> infinity() - 1;
      case NAN_ONLY -> (1 << exponentBits + fractionBits) - 2;
      case NONE -> (1 << exponentBits + fractionBits) - 1;
    };
  }

  /**
   * The pattern of a number rounded once. Zero and whatever is below the least number of an unsigned format becomes
   * that least number; tf32 comes as an FP32 number.
   *
   * @param finite whether what is too large, infinities too, becomes the largest finite number; otherwise it becomes
   *     what {@code rounding} says, or NaN where there are no infinities. Formats without NaN are always finite.
   */
  public int encode(double value, Rounding rounding, boolean finite) {
    int shift = this == TF32 ? TF32_DROPPED : 0;
    if (value != value) return nan();
    boolean negative = Double.doubleToRawLongBits(value) < 0;
    int sign = negative && signed() ? 1 << exponentBits + fractionBits : 0;
    double magnitude = negative && !signed() ? 0 : Math.abs(value);
    int pattern = magnitude(magnitude, negative, rounding);
    if (pattern > largest()) {
      boolean away = Double.isInfinite(value) || rounding == Rounding.NEAREST_EVEN || rounding == Rounding.NEAREST_AWAY
          || rounding == (negative ? Rounding.DOWN : Rounding.UP);
      if (finite || specials == Specials.NONE || !away) {
        pattern = largest();
      } else if (specials == Specials.NAN_ONLY) {
        return nan();
      } else {
        pattern = infinity();
      }
    }
    return (sign | pattern) << shift;
  }

  /** The exponent of the largest finite number. */
  public int greatestExponent() {
    return exponent(largest());
  }

  /** The canonical NaN; where there is none, what conversions give for it. */
  private int nan() {
    return switch (this) {
      case TF32 -> 0x7FFF_FFFF;
      case E3M2, E2M3, E2M1 -> largest();
      default -> (1 << exponentBits + fractionBits) - 1;
    };
  }

  private int magnitude(double value, boolean negative, Rounding rounding) {
    if (Double.isInfinite(value)) return Integer.MAX_VALUE;
    int exponent = Math.clamp(Math.getExponent(value), leastExponent(), bias() + 2);
    double quanta = Math.scalb(value, fractionBits - exponent);
    double floor = Math.floor(quanta);
    double rest = quanta - floor;
    boolean up = switch (rounding) {
      case NEAREST_EVEN -> rest > 0.5 || rest == 0.5 && floor % 2 != 0;
      case NEAREST_AWAY -> rest >= 0.5;
      case TOWARD_ZERO -> false;
      case UP -> rest > 0 && !negative;
      case DOWN -> rest > 0 && negative;
    };
    double whole = floor + (up ? 1 : 0);
    if (whole >= 1 << 2 + fractionBits) return Integer.MAX_VALUE;
    if (this == UE8M0) return Math.max(0, exponent + bias() + (whole > 1 ? 1 : 0));
    // A significand that has its leading one adds it to the exponent field, and so does a carry.
    return (exponent - leastExponent() << fractionBits) + (int) whole;
  }
}
