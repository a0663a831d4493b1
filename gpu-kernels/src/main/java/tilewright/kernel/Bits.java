package tilewright.kernel;

/** Masks of bits that may be one in a non-negative value. */
final class Bits {
  private Bits() {}

  /** All bits up to the highest one of {@code max}. */
  static long upTo(long max) {
    return max <= 0 ? 0 : -1L >>> Long.numberOfLeadingZeros(max);
  }

  /** The bits that may be one in {@code factor · x}. */
  static long scaled(long ones, long max, long factor) {
    if (factor < 0 || ones < 0) return -1;
    if (factor == 0) return 0;
    if (Long.bitCount(factor) == 1) return ones << Long.numberOfTrailingZeros(factor);
    long low = Long.lowestOneBit(factor) * Long.lowestOneBit(ones);
    return low == 0 ? 0 : upTo(max * factor) & -low;
  }

  /** The bits that may be one in {@code x + y}. */
  static long sum(long onesX, long maxX, long onesY, long maxY) {
    if (onesX < 0 || onesY < 0) return -1;
    if ((onesX & onesY) == 0) return onesX | onesY;
    long low = Math.min(Long.lowestOneBit(onesX), Long.lowestOneBit(onesY));
    return upTo(maxX + maxY) & -low;
  }

  static boolean isPowerOfTwo(long value) {
    return value > 0 && Long.bitCount(value) == 1;
  }

  static int log2(long powerOfTwo) {
    return Long.numberOfTrailingZeros(powerOfTwo);
  }
}
