package tilewright.simulator.arithmetic;

/**
 * {@code fma} with {@code .oob}: +0 where a factor is the NaN that a tensor map fills in for elements outside the
 * tensor (PTX ISA, fma and Tensors). That NaN, of either sign, is as an H200 knows it.
 */
public final class OutOfBounds {
  private static final int NAN = 0x7FF7;
  private static final int MAGNITUDE = 0x7FFF;

  private OutOfBounds() {}

  private static boolean outside(int a, int b) {
    return (a & MAGNITUDE) == NAN || (b & MAGNITUDE) == NAN;
  }

  public static int fmaF16(int a, int b, int c) {
    return outside(a, b) ? 0 : HalfMath.fmaF16(a, b, c);
  }

  public static int fmaBf16(int a, int b, int c) {
    return outside(a, b) ? 0 : HalfMath.fmaBf16(a, b, c);
  }

  public static int fmaF16x2(int a, int b, int c) {
    return fmaF16(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) | fmaF16(a >>> 16, b >>> 16, c >>> 16) << 16;
  }

  public static int fmaBf16x2(int a, int b, int c) {
    return fmaBf16(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) | fmaBf16(a >>> 16, b >>> 16, c >>> 16) << 16;
  }
}
