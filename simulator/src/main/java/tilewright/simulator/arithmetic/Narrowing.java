package tilewright.simulator.arithmetic;

import java.util.regex.Pattern;

/** Conversions to narrow formats on one lane that clamp or pack (PTX ISA, cvt with .satfinite, cvt.pack). */
public final class Narrowing {
  /** The integer types that {@code cvt.pack} makes. */
  public static final Pattern PACKED = Pattern.compile("[us](16|8|4|2)");
  private static final int SIGN = 0x8000;
  private static final int INFINITY_F16 = 0x7C00;
  private static final int INFINITY_BF16 = 0x7F80;
  private static final int TF32_LARGEST = 0x7F7F_E000;
  private static final int TF32_LAST_PLACE = 0x2000;

  private Narrowing() {}

  /** The largest finite number in place of an infinity. */
  private static int finite(int bits, int infinity, boolean finite) {
    return finite && (bits & ~SIGN) == infinity ? bits - 1 : bits;
  }

  public static int toF16(float a, int mode, boolean finite) {
    return finite(Conversions.toF16((double) a, mode), INFINITY_F16, finite);
  }

  public static int toBf16(float a, int mode, boolean finite) {
    return finite(Conversions.toBf16((double) a, mode), INFINITY_BF16, finite);
  }

  public static int packF16(float high, float low, int mode, boolean finite) {
    return toF16(low, mode, finite) | toF16(high, mode, finite) << 16;
  }

  public static int packBf16(float high, float low, int mode, boolean finite) {
    return toBf16(low, mode, finite) | toBf16(high, mode, finite) << 16;
  }

  /**
   * Rounds like {@link Conversions#toTf32}, clamped as ptxas does it: what is not finite loses one in its last place.
   * So an infinity becomes the largest finite number, and a NaN another NaN or, if it is the least, that number too.
   */
  public static float toTf32(float a) {
    float rounded = Conversions.toTf32(a);
    return Float.isFinite(rounded) ? rounded
        : Float.intBitsToFloat(Float.floatToRawIntBits(rounded) - TF32_LAST_PLACE);
  }

  /**
   * Rounds to the nearest tf32, ties to even, or the one towards zero; negative numbers become +0 with {@code relu}.
   */
  public static float toTf32(float a, boolean nearest, boolean relu, boolean finite) {
    if (relu && !(a > 0) && a == a) return 0;
    int rounding = nearest ? Conversions.NEAREST_EVEN : Conversions.ZERO;
    int pattern = Conversions.toTf32(a, rounding);
    return Float.intBitsToFloat(finite && Float.isInfinite(Float.intBitsToFloat(pattern))
        ? pattern & Integer.MIN_VALUE | TF32_LARGEST : pattern);
  }

  /** Clamps two integers to {@code bits} bits; the fields move up what {@code rest} holds. */
  public static int pack(int high, int low, int rest, int bits, boolean signed) {
    int mask = (1 << bits) - 1;
    int fields = (clamp(high, bits, signed) & mask) << bits | clamp(low, bits, signed) & mask;
    return bits == 16 ? fields : rest << 2 * bits | fields;
  }

  private static int clamp(int a, int bits, boolean signed) {
    return signed ? Math.clamp(a, -(1 << bits - 1), (1 << bits - 1) - 1) : Math.clamp(a, 0, (1 << bits) - 1);
  }
}
