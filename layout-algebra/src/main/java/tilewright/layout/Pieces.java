package tilewright.layout;

import java.util.Arrays;

/** The right operand of a composition, cut into pieces on which the left one is linear. */
final class Pieces {
  private long[] extents = new long[8];
  private long[] strides = new long[8];
  private long[] steps = new long[8];
  private int count;

  /** @param step the right operand's index at which the piece begins to count */
  void add(long extent, long stride, long step) {
    if (count == extents.length) {
      extents = Arrays.copyOf(extents, 2 * count);
      strides = Arrays.copyOf(strides, 2 * count);
      steps = Arrays.copyOf(steps, 2 * count);
    }
    extents[count] = extent;
    strides[count] = stride;
    steps[count++] = step;
  }

  int count() {
    return count;
  }

  long extent(int piece) {
    return extents[piece];
  }

  long stride(int piece) {
    return strides[piece];
  }

  long step(int piece) {
    return steps[piece];
  }
}
