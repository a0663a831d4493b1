package tilewright.simulator.oracle;

import java.util.Locale;
import java.util.stream.IntStream;

/** A floating-point format of at most eight bits, by the list of its values (OCP Microscaling Formats 1.0, 5.3). */
public enum SmallFormat {
  E4M3(4, 3, 1), E5M2(5, 2, 4), E2M3(2, 3, 0), E3M2(3, 2, 0), E2M1(2, 1, 0);

  private static final int NAN = 0x7F;

  public final int bits;
  private final int exponentBits;
  private final int fractionBits;
  /** The finite magnitudes in order; the index is the pattern. */
  private final double[] magnitudes;

  SmallFormat(int exponentBits, int fractionBits, int specials) {
    this.exponentBits = exponentBits;
    this.fractionBits = fractionBits;
    bits = 1 + exponentBits + fractionBits;
    magnitudes = IntStream.range(0, (1 << bits - 1) - specials).mapToDouble(this::magnitude).toArray();
  }

  /** The format of a packed type such as {@code e4m3x2}. */
  public static SmallFormat of(String type) {
    return valueOf(type.split("x")[0].toUpperCase(Locale.ROOT));
  }

  /** Bits that a number takes in a packed word. */
  public int width() {
    return this == E2M1 ? 4 : 8;
  }

  private double magnitude(int pattern) {
    int field = pattern >> fractionBits;
    int fraction = pattern & (1 << fractionBits) - 1;
    int bias = (1 << exponentBits - 1) - 1;
    double significand = field == 0 ? fraction : fraction + (1 << fractionBits);
    return significand * Math.pow(2, Math.max(field, 1) - bias - fractionBits);
  }

  public double value(int code) {
    int pattern = code & (1 << bits - 1) - 1;
    double magnitude = pattern < magnitudes.length ? magnitudes[pattern]
        : this == E5M2 && pattern == magnitudes.length ? Double.POSITIVE_INFINITY : Double.NaN;
    return code >> bits - 1 != 0 ? -magnitude : magnitude;
  }

  /** The nearest number's pattern; ties go to the even one. */
  public int nearest(double x) {
    if (x != x) return this == E4M3 || this == E5M2 ? NAN : magnitudes.length - 1;
    double magnitude = Math.abs(x);
    int pattern = magnitudes.length - 1;
    while (pattern > 0) {
      double middle = (magnitudes[pattern - 1] + magnitudes[pattern]) / 2;
      if (magnitude > middle || magnitude == middle && pattern % 2 == 0) break;
      pattern--;
    }
    return pattern | (Double.doubleToRawLongBits(x) < 0 ? 1 << bits - 1 : 0);
  }
}
