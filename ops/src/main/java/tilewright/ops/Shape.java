package tilewright.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/**
 * The extents of a tensor and its strides in elements, mode by mode.
 *
 * @param strides not negative; 0 where elements along a mode are one and the same
 */
record Shape(List<Long> extents, List<Long> strides) {
  Shape {
    extents = List.copyOf(extents);
    strides = List.copyOf(strides);
    if (extents.size() != strides.size()) {
      throw new IllegalArgumentException("shape " + extents + " has " + extents.size() + " modes, but there are the "
          + strides.size() + " strides " + strides);
    }
    for (long extent : extents) {
      if (extent < 0) throw new IllegalArgumentException("invalid shape " + extents + ": extents are at least 0");
    }
    for (long stride : strides) {
      if (stride < 0) throw new IllegalArgumentException("invalid strides " + strides + ": strides are at least 0");
    }
  }

  /** The last mode contiguous, no gaps. */
  static Shape rowMajor(long... extents) {
    return rowMajor(LongStream.of(extents).boxed().toList());
  }

  static Shape rowMajor(List<Long> extents) {
    var strides = new ArrayList<Long>();
    long stride = 1;
    for (long extent : extents.reversed()) {
      strides.add(stride);
      stride = Math.multiplyExact(stride, Math.max(1, extent));
    }
    Collections.reverse(strides);
    return new Shape(extents, strides);
  }

  /** The shape of a layout, whose nested modes become modes side by side. */
  static Shape of(Layout layout) {
    return new Shape(Arrays.stream(layout.flatShape()).boxed().toList(),
        Arrays.stream(layout.flatStride()).boxed().toList());
  }

  int rank() {
    return extents.size();
  }

  long extent(int mode) {
    return extents.get(mode);
  }

  long stride(int mode) {
    return strides.get(mode);
  }

  long elements() {
    return extents.stream().reduce(1L, Math::multiplyExact);
  }

  /** Elements from the first to behind the last one in memory. */
  long span() {
    if (elements() == 0) return 0;
    long last = 0;
    for (int mode = 0; mode < rank(); mode++) {
      last = Math.addExact(last, Math.multiplyExact(extent(mode) - 1, stride(mode)));
    }
    return last + 1;
  }

  /** Whether the elements lie in order without gaps. */
  boolean isContiguous() {
    return withoutOnes().equals(rowMajor(withoutOnes().extents)) || elements() == 0;
  }

  private Shape withoutOnes() {
    var kept = IntStream.range(0, rank()).filter(mode -> extent(mode) != 1).boxed().toList();
    return new Shape(kept.stream().map(extents::get).toList(), kept.stream().map(strides::get).toList());
  }

  Shape with(int mode, long extent, long stride) {
    var otherExtents = new ArrayList<>(extents);
    var otherStrides = new ArrayList<>(strides);
    otherExtents.set(mode, extent);
    otherStrides.set(mode, stride);
    return new Shape(otherExtents, otherStrides);
  }

  Shape without(int mode) {
    var otherExtents = new ArrayList<>(extents);
    var otherStrides = new ArrayList<>(strides);
    otherExtents.remove(mode);
    otherStrides.remove(mode);
    return new Shape(otherExtents, otherStrides);
  }

  Shape exchanged(int first, int second) {
    return with(first, extent(second), stride(second)).with(second, extent(first), stride(first));
  }

  /** A mode of extent 1 before another one. */
  Shape withOne(int mode) {
    var otherExtents = new ArrayList<>(extents);
    var otherStrides = new ArrayList<>(strides);
    otherExtents.add(mode, 1L);
    otherStrides.add(mode, mode < rank() ? stride(mode) * extent(mode) : 1L);
    return new Shape(otherExtents, otherStrides);
  }

  /** The same elements in the same order under other extents, if strides can say so. */
  Optional<Shape> reshaped(List<Long> others) {
    if (elements() == 0) return Optional.of(rowMajor(others));
    var merged = merged(List.of(this)).getFirst();
    var othersStrides = new Long[others.size()];
    int target = others.size() - 1;
    for (int mode = merged.rank() - 1; mode >= 0; mode--) {
      long left = merged.extent(mode);
      long stride = merged.stride(mode);
      while (target >= 0 && left > 1) {
        long extent = others.get(target);
        if (left % extent != 0) return Optional.empty();
        othersStrides[target--] = stride;
        stride *= extent;
        left /= extent;
      }
      if (left > 1) return Optional.empty();
    }
    for (; target >= 0; target--) othersStrides[target] = elements();
    return Optional.of(new Shape(others, List.of(othersStrides)));
  }

  /**
   * Shapes of equal extents with as few modes as say the same of each: modes that follow each other in all of them are
   * one, and those of extent 1 are none. At least one mode is left.
   */
  static List<Shape> merged(List<Shape> shapes) {
    var all = new ArrayList<>(shapes);
    for (int mode = all.getFirst().rank() - 1; mode >= 0; mode--) {
      int at = mode;
      if (all.getFirst().rank() > 1 && all.getFirst().extent(at) == 1) {
        all.replaceAll(shape -> shape.without(at));
      } else if (at + 1 < all.getFirst().rank() && all.stream().allMatch(shape ->
          shape.stride(at) == shape.stride(at + 1) * shape.extent(at + 1))) {
        all.replaceAll(shape -> shape.with(at + 1, shape.extent(at) * shape.extent(at + 1), shape.stride(at + 1))
            .without(at));
      }
    }
    if (all.getFirst().rank() == 0) all.replaceAll(_ -> new Shape(List.of(1L), List.of(1L)));
    return all;
  }

  Layout layout() {
    return new Layout(IntTuple.flat(extents.stream().mapToLong(v -> v).toArray()),
        IntTuple.flat(strides.stream().mapToLong(v -> v).toArray()));
  }

  /** The extents, {@code (2,3)}, with strides where elements are not in order. */
  @Override
  public String toString() {
    return text(extents) + (isContiguous() ? "" : ":" + text(strides));
  }

  static String text(List<Long> numbers) {
    return numbers.toString().replace("[", "(").replace("]", ")").replace(" ", "");
  }
}
