package tilewright.layout;

import java.util.Arrays;

/**
 * A layout as a numeral system: an index has a digit a mode, and each digit counts with the mode's stride. The modes
 * are coalesced for the extended domain, so the last digit is unbounded and no digit could be left out.
 */
final class Numerals {
  private final long[] extents;
  private final long[] strides;

  private Numerals(long[] extents, long[] strides) {
    this.extents = extents;
    this.strides = strides;
  }

  static Numerals of(Layout layout) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    int count = 0;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 1 && i + 1 < extents.length) continue;
      if (count > 0 && continues(extents[count - 1], strides[count - 1], strides[i])) {
        extents[count - 1] = Math.multiplyExact(extents[count - 1], extents[i]);
      } else {
        extents[count] = extents[i];
        strides[count++] = strides[i];
      }
    }
    if (count == 0) return new Numerals(new long[] {1}, new long[] {0});
    return new Numerals(Arrays.copyOf(extents, count), Arrays.copyOf(strides, count));
  }

  private static boolean continues(long extent, long stride, long next) {
    return extent != 0 && next % extent == 0 && next / extent == stride;
  }

  int digits() {
    return extents.length;
  }

  long extent(int digit) {
    return extents[digit];
  }

  /** Whether an index has digits: none has in an empty mode. */
  boolean hasEmptyDigit() {
    for (int i = 0; i + 1 < extents.length; i++) {
      if (extents[i] == 0) return true;
    }
    return false;
  }

  /** The offset of an index; a negative one only where there is one digit. */
  long at(long index) {
    int last = extents.length - 1;
    long sum = 0;
    for (int i = 0; i < last && index != 0; i++) {
      sum = Math.addExact(sum, Math.multiplyExact(index % extents[i], strides[i]));
      index /= extents[i];
    }
    return Math.addExact(sum, Math.multiplyExact(index, strides[last]));
  }

  /** How many multiples 0, stride, 2·stride, … come before some digit carries into the next; at most {@code count}. */
  long withoutCarry(long stride, long count) {
    long below = 1;
    for (int i = 0; i + 1 < extents.length; i++) {
      if (isBeyond(below, extents[i])) return count;
      below *= extents[i];
      long rest = stride % below;
      if (rest != 0) count = Math.min(count, Math.ceilDiv(below, rest));
    }
    return count;
  }

  /** Whether a product leaves 64 bits: then no index reaches the digits above. */
  private static boolean isBeyond(long below, long extent) {
    return below > Long.MAX_VALUE / extent;
  }

  /** The lowest digit that carries when the modes' largest contributions add up; −1 if none does. */
  int carryingDigit(Pieces pieces) {
    long below = 1;
    for (int i = 0; i + 1 < extents.length; i++) {
      long room = extents[i] - 1;
      for (int k = 0; k < pieces.count(); k++) {
        long digit = pieces.stride(k) / below % extents[i];
        if (digit == 0) continue;
        if (pieces.extent(k) - 1 > room / digit) return i;
        room -= (pieces.extent(k) - 1) * digit;
      }
      if (isBeyond(below, extents[i])) return -1;
      below *= extents[i];
    }
    return -1;
  }

  /** An index's digit in a place below the last, where each place has an end. */
  long digit(long index, int place) {
    for (int i = 0; i < place; i++) index /= extents[i];
    return index % extents[place];
  }

  /**
   * Whether carries into reachable digits may cancel: leaving a digit for the next changes the offset by a gap, and the
   * gaps have both signs.
   */
  boolean carriesMayCancel(long largestIndex) {
    int sign = 0;
    for (int i = 0; i + 1 < extents.length && largestIndex >= extents[i]; i++) {
      largestIndex /= extents[i];
      int gap = Long.signum(Math.subtractExact(Math.multiplyExact(extents[i], strides[i]), strides[i + 1]));
      if (sign == -gap) return true;
      sign = gap;
    }
    return false;
  }
}
