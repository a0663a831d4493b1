package tilewright.simulator.arithmetic;

import static tilewright.simulator.arithmetic.Conversions.fromBf16;
import static tilewright.simulator.arithmetic.Conversions.fromF16;
import static tilewright.simulator.arithmetic.Conversions.toBf16;
import static tilewright.simulator.arithmetic.Conversions.toF16;

/**
 * Arithmetic of f16 and bf16 on one lane, single and in pairs. A float has more than twice the bits of either, so
 * adding and multiplying in float and rounding once more is exact rounding; fused multiply-add keeps a sticky bit.
 */
public final class HalfMath {
  /** Halfway from the largest number of 11 bits below the normal ones to the least normal one, which is even. */
  private static final double TIE_F16 = 0x1.ffep-15;

  private HalfMath() {}

  public static int addF16(int a, int b) {
    return toF16(fromF16(a) + fromF16(b));
  }

  public static int subF16(int a, int b) {
    return toF16(fromF16(a) - fromF16(b));
  }

  public static int mulF16(int a, int b) {
    return toF16(fromF16(a) * fromF16(b));
  }

  public static int fmaF16(int a, int b, int c) {
    return toF16(FloatMath.sticky((double) fromF16(a) * fromF16(b), fromF16(c)), Conversions.NEAREST_EVEN);
  }

  public static int mulFlushF16(int a, int b) {
    return kept(fromF16(a) * fromF16(b));
  }

  public static int fmaFlushF16(int a, int b, int c) {
    return kept(FloatMath.sticky((double) fromF16(a) * fromF16(b), fromF16(c)));
  }

  /** A result with {@code .ftz}: rounded to 11 bits at any exponent, then flushed; see {@link FloatMath#kept}. */
  private static int kept(double exact) {
    return Math.abs(exact) < TIE_F16 ? signOf(exact) : toF16(exact, Conversions.NEAREST_EVEN);
  }

  private static int signOf(double a) {
    return Double.doubleToRawLongBits(a) < 0 ? 0x8000 : 0;
  }

  public static int mulFlushF16x2(int a, int b) {
    return pack(mulFlushF16(low(a), low(b)), mulFlushF16(high(a), high(b)));
  }

  public static int fmaFlushF16x2(int a, int b, int c) {
    return pack(fmaFlushF16(low(a), low(b), low(c)), fmaFlushF16(high(a), high(b), high(c)));
  }

  public static int minF16(int a, int b) {
    return toF16(FloatMath.min(fromF16(a), fromF16(b)));
  }

  public static int maxF16(int a, int b) {
    return toF16(FloatMath.max(fromF16(a), fromF16(b)));
  }

  public static int addBf16(int a, int b) {
    return toBf16(fromBf16(a) + fromBf16(b));
  }

  public static int subBf16(int a, int b) {
    return toBf16(fromBf16(a) - fromBf16(b));
  }

  public static int mulBf16(int a, int b) {
    return toBf16((double) fromBf16(a) * fromBf16(b), Conversions.NEAREST_EVEN);
  }

  public static int fmaBf16(int a, int b, int c) {
    return toBf16(FloatMath.sticky((double) fromBf16(a) * fromBf16(b), fromBf16(c)), Conversions.NEAREST_EVEN);
  }

  public static int minBf16(int a, int b) {
    return toBf16(FloatMath.min(fromBf16(a), fromBf16(b)));
  }

  public static int maxBf16(int a, int b) {
    return toBf16(FloatMath.max(fromBf16(a), fromBf16(b)));
  }

  private static int pack(int low, int high) {
    return low & 0xFFFF | high << 16;
  }

  private static int high(int pair) {
    return pair >>> 16;
  }

  private static int low(int pair) {
    return pair & 0xFFFF;
  }

  public static int addF16x2(int a, int b) {
    return pack(addF16(low(a), low(b)), addF16(high(a), high(b)));
  }

  public static int subF16x2(int a, int b) {
    return pack(subF16(low(a), low(b)), subF16(high(a), high(b)));
  }

  public static int mulF16x2(int a, int b) {
    return pack(mulF16(low(a), low(b)), mulF16(high(a), high(b)));
  }

  public static int fmaF16x2(int a, int b, int c) {
    return pack(fmaF16(low(a), low(b), low(c)), fmaF16(high(a), high(b), high(c)));
  }

  public static int minF16x2(int a, int b) {
    return pack(minF16(low(a), low(b)), minF16(high(a), high(b)));
  }

  public static int maxF16x2(int a, int b) {
    return pack(maxF16(low(a), low(b)), maxF16(high(a), high(b)));
  }

  public static int addBf16x2(int a, int b) {
    return pack(addBf16(low(a), low(b)), addBf16(high(a), high(b)));
  }

  public static int subBf16x2(int a, int b) {
    return pack(subBf16(low(a), low(b)), subBf16(high(a), high(b)));
  }

  public static int mulBf16x2(int a, int b) {
    return pack(mulBf16(low(a), low(b)), mulBf16(high(a), high(b)));
  }

  public static int fmaBf16x2(int a, int b, int c) {
    return pack(fmaBf16(low(a), low(b), low(c)), fmaBf16(high(a), high(b), high(c)));
  }

  public static int minBf16x2(int a, int b) {
    return pack(minBf16(low(a), low(b)), minBf16(high(a), high(b)));
  }

  public static int maxBf16x2(int a, int b) {
    return pack(maxBf16(low(a), low(b)), maxBf16(high(a), high(b)));
  }

  public static int packF16(float high, float low) {
    return pack(toF16(low), toF16(high));
  }

  public static int packBf16(float high, float low) {
    return pack(toBf16(low), toBf16(high));
  }
}
