package tilewright.simulator.arithmetic;

import tilewright.numerics.Rounding;
import tilewright.simulator.tensorcore.NumberFormat;

/**
 * Conversions on one lane to and from words of floating-point numbers of eight bits and fewer (PTX ISA, cvt). The first
 * operand lies highest; numbers of six bits take eight. A format is given by its ordinal.
 */
public final class SmallConversions {
  private static final NumberFormat[] FORMATS = NumberFormat.values();
  private static final int CODES = 256;
  private static final int SIGN16 = 0x8000;

  private SmallConversions() {}

  /** The f16 of every pattern. */
  private static final class Halves {
    static final char[][] OF = new char[FORMATS.length][CODES];

    static {
      for (var format : FORMATS) {
        for (int code = 0; code < CODES; code++) {
          OF[format.ordinal()][code] = (char) Conversions.toF16(format.decode(code));
        }
      }
    }
  }

  /** The ordinal of a packed type such as {@code e4m3x2}. */
  public static int format(String type) {
    return NumberFormat.valueOf(type.substring(0, type.indexOf('x')).toUpperCase(java.util.Locale.ROOT)).ordinal();
  }

  private static int width(NumberFormat format) {
    return format == NumberFormat.E2M1 ? 4 : 8;
  }

  /** Negative values become +0; NaN stays. */
  private static float relu(float a) {
    return a > 0 || a != a ? a : 0;
  }

  private static int finite(float a, int format, boolean relu) {
    return FORMATS[format].encode(relu ? relu(a) : a, Rounding.NEAREST_EVEN, true);
  }

  /** Two numbers, rounded to nearest even and clamped. */
  public static int pack(float high, float low, int format, boolean relu) {
    return finite(high, format, relu) << width(FORMATS[format]) | finite(low, format, relu);
  }

  public static int packHalves(int pair, int format, boolean relu) {
    return pack(Conversions.fromF16(pair >>> 16), Conversions.fromF16(pair & 0xFFFF), format, relu);
  }

  /** Two numbers as f16x2. */
  public static int halves(int word, int format, boolean relu) {
    int width = width(FORMATS[format]);
    int mask = (1 << width) - 1;
    return half(word & mask, format, relu) | half(word >>> width & mask, format, relu) << 16;
  }

  private static int half(int code, int format, boolean relu) {
    int half = Halves.OF[format][code];
    return relu && (half & SIGN16) != 0 ? 0 : half;
  }

  /** Two scales of blocks: powers of two, of the magnitudes. */
  public static int packScales(float high, float low, boolean up, boolean finite) {
    return scale(high, up, finite) << 8 | scale(low, up, finite);
  }

  public static int packScalesOfBf16(int pair, boolean up, boolean finite) {
    return packScales(Conversions.fromBf16(pair >>> 16), Conversions.fromBf16(pair & 0xFFFF), up, finite);
  }

  private static int scale(float a, boolean up, boolean finite) {
    return NumberFormat.UE8M0.encode(Math.abs(a), up ? Rounding.UP : Rounding.TOWARD_ZERO, finite);
  }

  public static int bf16OfScales(int pair) {
    return Conversions.toBf16(NumberFormat.UE8M0.decode(pair & 0xFF))
        | Conversions.toBf16(NumberFormat.UE8M0.decode(pair >>> 8 & 0xFF)) << 16;
  }

  /**
   * Rounds away from zero where the sum of the discarded bits and of so many random ones carries ({@code .rs}); of the
   * discarded bits, as many as there are random ones count.
   */
  private static int randomly(float a, NumberFormat format, int random, int bits, boolean finite) {
    int exponent = Math.max(Math.getExponent(a), format.leastExponent());
    boolean ordinary = Float.isFinite(a) && Math.getExponent(a) <= format.greatestExponent();
    if (!ordinary) return format.encode(a, Rounding.NEAREST_EVEN, finite);
    double quanta = Math.scalb(Math.abs((double) a), format.fractionBits() - exponent);
    int discarded = (int) Math.scalb(quanta - Math.floor(quanta), bits);
    boolean carries = discarded + random >= 1 << bits;
    return format.encode(a, carries ? a < 0 ? Rounding.DOWN : Rounding.UP : Rounding.TOWARD_ZERO, finite);
  }

  /** Two halves; the upper random bits are the first operand's. */
  public static int packRandomly(float high, float low, int random, boolean bf16, boolean relu, boolean finite) {
    var format = bf16 ? NumberFormat.BF16 : NumberFormat.F16;
    int bits = bf16 ? 16 : 13;
    int mask = (1 << bits) - 1;
    return randomly(relu ? relu(high) : high, format, random >>> 16 & mask, bits, finite) << 16
        | randomly(relu ? relu(low) : low, format, random & mask, bits, finite);
  }

  /** Four numbers, clamped; the upper random bits serve the first two, the lower ones the others. */
  public static int packRandomly(float a, float b, float c, float d, int random, int format, boolean relu) {
    int width = width(FORMATS[format]);
    int word = 0;
    for (float x : new float[] {a, b}) word = word << width | clamped(x, format, random >>> 16, relu);
    for (float x : new float[] {c, d}) word = word << width | clamped(x, format, random & 0xFFFF, relu);
    return word;
  }

  private static int clamped(float a, int format, int random, boolean relu) {
    return randomly(relu ? relu(a) : a, FORMATS[format], random, 16, true);
  }
}
