package tilewright.simulator.arithmetic;

/**
 * Bit fields on one lane, as the PTX ISA's pseudocode defines them (bfe, bfi, szext, bmsk, fns). Of the position and
 * length of a field, words use the low 8 bits; longs use all bits, as the hardware's sequences for them do.
 */
public final class BitFields {
  private static final int WORD = 32;
  private static final int LONG = 64;
  private static final int BYTE = 0xFF;

  private BitFields() {}

  private static int atMostLong(int amount) {
    return Integer.compareUnsigned(amount, LONG) > 0 ? LONG : amount;
  }

  public static int bfeU(int a, int position, int length) {
    return (int) extract(Integer.toUnsignedLong(a), position & BYTE, length & BYTE);
  }

  public static long bfeU(long a, int position, int length) {
    return extract(a, atMostLong(position), atMostLong(length));
  }

  public static int bfeS(int a, int position, int length) {
    return (int) extractSigned(a, position & BYTE, length & BYTE, WORD);
  }

  public static long bfeS(long a, int position, int length) {
    return extractSigned(a, atMostLong(position), atMostLong(length), LONG);
  }

  private static long extract(long a, int position, int length) {
    long shifted = position >= LONG ? 0 : a >>> position;
    return length >= LONG ? shifted : shifted & (1L << length) - 1;
  }

  /** Bits beyond the word are copies of its sign. */
  private static long extractSigned(long a, int position, int length, int width) {
    if (length == 0) return 0;
    long shifted = a >> Math.min(position, width - 1);
    int unused = LONG - Math.min(length, LONG);
    return shifted << unused >> unused;
  }

  public static int bfi(int field, int into, int position, int length) {
    return (int) insert(field, into, position & BYTE, length & BYTE, WORD);
  }

  public static long bfi(long field, long into, int position, int length) {
    return insert(field, into, atMostLong(position), atMostLong(length), LONG);
  }

  private static long insert(long field, long into, int position, int length, int width) {
    if (position >= width || length == 0) return into;
    long mask = (length >= LONG ? -1L : (1L << length) - 1) << position;
    return into & ~mask | field << position & mask;
  }

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
