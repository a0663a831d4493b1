package tilewright.simulator.core;

/** Bit fields of a word on one lane, as the PTX ISA's pseudocode defines them (szext, bmsk, fns). */
public final class BitFields {
  private static final int WORD = 32;

  private BitFields() {}

  public static boolean isSet(int a) {
    return a != 0;
  }

  private static boolean tooLarge(int amount, boolean clamp) {
    return clamp && Integer.compareUnsigned(amount, WORD) >= 0;
  }

  /** {@code szext}: the low bits, extended by their sign or by zeros. */
  public static int szext(int a, int bits, boolean clamp, boolean signed) {
    if (tooLarge(bits, clamp)) return a;
    int width = bits & WORD - 1;
    if (width == 0) return 0;
    return signed ? a << WORD - width >> WORD - width : a & (1 << width) - 1;
  }

  /** {@code bmsk}: ones from a position up, so many. */
  public static int bmsk(int position, int bits, boolean clamp) {
    if (tooLarge(position, clamp)) return 0;
    int from = position & WORD - 1;
    int end = tooLarge(bits, clamp) ? WORD : from + (bits & WORD - 1);
    return end >= WORD ? -1 << from : (1 << end) - (1 << from);
  }

  /** {@code fns}: the position of the n-th set bit from a base, upward or downward; all ones if there is none. */
  public static int fns(int mask, int base, int n) {
    if (n == 0) return base >>> 5 == 0 && (mask >>> base & 1) != 0 ? base : -1;
    int step = n > 0 ? 1 : -1;
    int left = Math.abs(n);
    for (int position = base; position >= 0 && position < WORD; position += step) {
      if ((mask >>> position & 1) != 0 && --left == 0) return position;
    }
    return -1;
  }
}
