package tilewright.simulator.arithmetic;

/** The modifiers of f16 and bf16 values, single and in pairs: {@code .ftz}, {@code .sat}, {@code .relu}. */
public final class HalfClamps {
  private static final int NAN = 0x7FFF;
  private static final int SIGN = 0x8000;
  private static final int INFINITY_F16 = 0x7C00;
  private static final int INFINITY_BF16 = 0x7F80;
  private static final int ONE_F16 = 0x3C00;
  private static final int ONE_BF16 = 0x3F80;

  private HalfClamps() {}

  private static int pack(int low, int high) {
    return low | high << 16;
  }

  /** Subnormals become zeros of their sign. */
  public static int flushF16(int a) {
    return (a & INFINITY_F16) == 0 ? a & SIGN : a;
  }

  public static int flushF16x2(int a) {
    return pack(flushF16(a & 0xFFFF), flushF16(a >>> 16));
  }

  private static int saturate(int a, int infinity, int one) {
    boolean positive = (a & SIGN) == 0 && a <= infinity;
    return positive ? Math.min(a, one) : 0;
  }

  /** Clamps to 0…1; NaN becomes +0. */
  public static int saturateF16(int a) {
    return saturate(a, INFINITY_F16, ONE_F16);
  }

  public static int saturateF16x2(int a) {
    return pack(saturateF16(a & 0xFFFF), saturateF16(a >>> 16));
  }

  public static int saturateBf16(int a) {
    return saturate(a, INFINITY_BF16, ONE_BF16);
  }

  public static int saturateBf16x2(int a) {
    return pack(saturateBf16(a & 0xFFFF), saturateBf16(a >>> 16));
  }

  private static int relu(int a, int infinity) {
    if ((a & ~SIGN) > infinity) return NAN;
    return (a & SIGN) == 0 ? a : 0;
  }

  /** Negative values become +0, every NaN the hardware's. */
  public static int reluF16(int a) {
    return relu(a, INFINITY_F16);
  }

  public static int reluF16x2(int a) {
    return pack(reluF16(a & 0xFFFF), reluF16(a >>> 16));
  }

  public static int reluBf16(int a) {
    return relu(a, INFINITY_BF16);
  }

  public static int reluBf16x2(int a) {
    return pack(reluBf16(a & 0xFFFF), reluBf16(a >>> 16));
  }
}
