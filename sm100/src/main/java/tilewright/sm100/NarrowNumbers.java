package tilewright.sm100;

import tilewright.kernel.TraceException;
import tilewright.sm100.atom.MmaFormat;

/**
 * The numbers that floats of eight bits and fewer stand for, all finite (OCP Microscaling Formats 1.0, section 5.3).
 *
 * @param exponents bits of the exponent
 * @param fraction bits of the fraction
 * @param largest number
 */
record NarrowNumbers(int exponents, int fraction, double largest) {

  static NarrowNumbers of(MmaFormat format) {
    return switch (format) {
      case E4M3 -> new NarrowNumbers(4, 3, 448);
      case E5M2 -> new NarrowNumbers(5, 2, 57344);
      case E2M3 -> new NarrowNumbers(2, 3, 7.5);
      case E3M2 -> new NarrowNumbers(3, 2, 28);
      case E2M1 -> new NarrowNumbers(2, 1, 6);
      default -> throw new TraceException(format.text() + " is no float of eight bits or fewer");
    };
  }

  private int bias() {
    return (1 << exponents - 1) - 1;
  }

  /** The power of two of the largest number. */
  int largestExponent() {
    return Math.getExponent(largest);
  }

  double decode(int bits) {
    int exponent = bits >> fraction & (1 << exponents) - 1;
    int significand = bits & (1 << fraction) - 1 | (exponent == 0 ? 0 : 1 << fraction);
    double magnitude = Math.scalb((double) significand, Math.max(exponent, 1) - bias() - fraction);
    return (bits >> exponents + fraction & 1) == 0 ? magnitude : -magnitude;
  }

  /** The nearest number, ties to the even one; the largest for what is beyond it. Zeros keep their sign. */
  int encode(double value) {
    double magnitude = Math.min(Math.abs(value), largest);
    int exponent = Math.max(Math.getExponent(magnitude), 1 - bias());
    int units = (int) Math.rint(Math.scalb(magnitude, fraction - exponent));
    // Units below one fraction's are subnormal; those that carry reach the next exponent by themselves.
    int code = units < 1 << fraction ? units : (exponent + bias() << fraction) + units - (1 << fraction);
    return Double.doubleToRawLongBits(value) < 0 ? code | 1 << exponents + fraction : code;
  }
}
