package tilewright.layout;

import java.util.Arrays;
import tilewright.layout.tuple.IntTuple;

/** A layout's modes that move, coalesced and sorted by stride, then extent. */
final class SortedModes {
  private final long[] extents;
  private final long[] strides;
  private final long[] indices;
  private int count;
  private boolean empty;

  private SortedModes(int capacity) {
    extents = new long[capacity];
    strides = new long[capacity];
    indices = new long[capacity];
  }

  static SortedModes of(Layout layout) {
    long[] shape = layout.flatShape();
    long[] steps = layout.flatStride();
    var modes = new SortedModes(shape.length);
    long index = 1;
    for (int i = 0; i < shape.length; i++) {
      modes.add(shape[i], steps[i], index);
      index = Math.multiplyExact(index, shape[i]);
    }
    modes.sort();
    return modes;
  }

  private void add(long extent, long stride, long index) {
    empty |= extent == 0;
    if (extent <= 1 || stride == 0) return;
    int last = count - 1;
    if (count > 0 && indices[last] * extents[last] == index
        && Math.multiplyExact(extents[last], strides[last]) == stride) {
      extents[last] = Math.multiplyExact(extents[last], extent);
      return;
    }
    extents[count] = extent;
    strides[count] = stride;
    indices[count++] = index;
  }

  /** By insertion: ranks are small, and modes are often nearly in order. */
  private void sort() {
    for (int i = 1; i < count; i++) {
      for (int k = i; k > 0 && isBefore(k, k - 1); k--) {
        swap(extents, k);
        swap(strides, k);
        swap(indices, k);
      }
    }
  }

  private boolean isBefore(int a, int b) {
    return strides[a] != strides[b] ? strides[a] < strides[b] : extents[a] < extents[b];
  }

  private static void swap(long[] values, int k) {
    long value = values[k];
    values[k] = values[k - 1];
    values[k - 1] = value;
  }

  int count() {
    return count;
  }

  boolean isEmpty() {
    return empty;
  }

  long extent(int mode) {
    return extents[mode];
  }

  long stride(int mode) {
    return strides[mode];
  }

  /** The layout's index at which the mode begins to count. */
  long index(int mode) {
    return indices[mode];
  }

  /** A leaf for one mode, a flat tuple for more, {@code 1:0} for none. */
  static Layout layout(long[] extents, long[] strides, int count) {
    return switch (count) {
      case 0 -> Layout.of(1, 0);
      case 1 -> Layout.of(extents[0], strides[0]);
      default -> Layout.of(IntTuple.flat(Arrays.copyOf(extents, count)), IntTuple.flat(Arrays.copyOf(strides, count)));
    };
  }
}
