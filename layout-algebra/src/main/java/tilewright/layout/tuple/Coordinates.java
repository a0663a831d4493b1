package tilewright.layout.tuple;

import java.util.ArrayList;

/**
 * Colexicographic indices and hierarchical coordinates (CuTe's crd2idx, idx2crd and crd2crd). An integer of a
 * coordinate counts colexicographically what stands there in the shape; the last mode is unbounded, as in CuTe C++.
 */
public final class Coordinates {
  private Coordinates() {}

  /** Treatment of an index beyond a shape's size. */
  public enum LastMode {
    /** The last mode's digit runs on, as in CuTe C++. */
    UNBOUNDED,
    /** Every digit is below its extent, as in pycute. */
    WRAPPED
  }

  /**
   * Σ coordinate · stride.
   *
   * @throws IllegalArgumentException unless the coordinate is weakly congruent to the shape
   */
  public static long offset(IntTuple coordinate, IntTuple shape, IntTuple stride) {
    return switch (coordinate) {
      case IntTuple.Leaf leaf -> offset(leaf.value(), shape, stride);
      case IntTuple.Tuple t -> {
        requireFit(t, shape);
        long sum = 0;
        for (int i = 0; i < t.rank(); i++) sum = Math.addExact(sum, offset(t.mode(i), shape.mode(i), stride.mode(i)));
        yield sum;
      }
    };
  }

  private static long offset(long index, IntTuple shape, IntTuple stride) {
    long[] extents = shape.flatten();
    long[] strides = stride.flatten();
    long sum = 0;
    for (int i = 0; i < extents.length; i++) {
      boolean last = i + 1 == extents.length;
      long digit = last ? index : index % nonEmpty(extents[i], shape);
      if (!last) index /= extents[i];
      sum = Math.addExact(sum, Math.multiplyExact(digit, strides[i]));
    }
    return sum;
  }

  /** Offsets of all indices below the size, in the order of the indices. */
  public static long[] offsets(IntTuple shape, IntTuple stride) {
    var offsets = new long[Math.toIntExact(shape.size())];
    if (offsets.length == 0) return offsets;
    long[] extents = shape.flatten();
    long[] strides = stride.flatten();
    int filled = 1;
    // Each mode repeats, further on, the table of the modes before it.
    for (int mode = 0; mode < extents.length; mode++) {
      for (int digit = 1; digit < extents[mode]; digit++) {
        long shift = Math.multiplyExact(digit, strides[mode]);
        for (int i = 0; i < filled; i++) offsets[digit * filled + i] = Math.addExact(offsets[i], shift);
      }
      filled *= (int) extents[mode];
    }
    return offsets;
  }

  /** One more than the distance that all modes together reach: Σ (extent − 1)·|stride| + 1; 0 for an empty shape. */
  public static long cosize(IntTuple shape, IntTuple stride) {
    long[] extents = shape.flatten();
    long[] strides = stride.flatten();
    long reach = 1;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 0) return 0;
      reach = Math.addExact(reach, Math.multiplyExact(extents[i] - 1, Math.abs(strides[i])));
    }
    return reach;
  }

  /** The colexicographic index of a coordinate. */
  public static long index(IntTuple coordinate, IntTuple shape) {
    return switch (coordinate) {
      case IntTuple.Leaf leaf -> leaf.value();
      case IntTuple.Tuple t -> {
        requireFit(t, shape);
        long index = 0;
        // Horner's rule from the slowest mode, so that a last extent never multiplies.
        for (int i = t.rank() - 1; i >= 0; i--) {
          long within = index(t.mode(i), shape.mode(i));
          index = index == 0 ? within : Math.addExact(within, Math.multiplyExact(index, shape.mode(i).size()));
        }
        yield index;
      }
    };
  }

  /** The coordinate, congruent to the shape, of an index. */
  public static IntTuple of(long index, IntTuple shape) {
    return of(index, shape, LastMode.UNBOUNDED);
  }

  public static IntTuple of(long index, IntTuple shape, LastMode lastMode) {
    return switch (shape) {
      case IntTuple.Leaf(long extent) ->
          IntTuple.of(lastMode == LastMode.WRAPPED ? index % nonEmpty(extent, shape) : index);
      case IntTuple.Tuple t -> {
        var coordinate = new ArrayList<IntTuple>();
        for (int i = 0; i < t.rank(); i++) {
          boolean last = i + 1 == t.rank();
          coordinate.add(of(last ? index : index % nonEmpty(t.mode(i).size(), shape), t.mode(i), lastMode));
          if (!last) index /= t.mode(i).size();
        }
        yield IntTuple.of(coordinate);
      }
    };
  }

  /**
   * The coordinate, congruent to the shape, of a coordinate of which each integer counts within its own mode.
   *
   * @throws IllegalArgumentException unless the coordinate is weakly congruent to the shape
   */
  public static IntTuple of(IntTuple coordinate, IntTuple shape) {
    return switch (coordinate) {
      case IntTuple.Leaf leaf -> of(leaf.value(), shape);
      case IntTuple.Tuple t -> {
        requireFit(t, shape);
        var modes = new ArrayList<IntTuple>();
        for (int i = 0; i < t.rank(); i++) modes.add(of(t.mode(i), shape.mode(i)));
        yield IntTuple.of(modes);
      }
    };
  }

  /**
   * The digits (offset / stride) mod extent of an offset, by mode: for a compact layout the coordinate of that offset.
   * A mode of stride 0 or extent 1 has digit 0.
   */
  public static IntTuple ofOffset(long offset, IntTuple shape, IntTuple stride) {
    return TupleArithmetic.leaves("idx2crd", shape, stride, (extent, step) -> {
      if (extent == 1 || step == 0) return 0;
      return Math.floorMod(Math.floorDiv(offset, step), nonEmpty(extent, shape));
    });
  }

  /** The coordinate in another shape with the same index. */
  public static IntTuple convert(IntTuple coordinate, IntTuple from, IntTuple to) {
    return of(index(coordinate, from), to);
  }

  /** The next coordinate, congruent to the shape, in colexicographic order; after the last, the last mode runs on. */
  public static IntTuple successor(IntTuple coordinate, IntTuple shape) {
    return of(Math.addExact(index(coordinate, shape), 1), shape);
  }

  private static void requireFit(IntTuple.Tuple coordinate, IntTuple shape) {
    if (coordinate.rank() != shape.rank() || shape instanceof IntTuple.Leaf) {
      throw new IllegalArgumentException("coordinate " + coordinate + " does not fit shape " + shape);
    }
  }

  private static long nonEmpty(long extent, IntTuple shape) {
    if (extent == 0) throw new IllegalArgumentException("the empty shape " + shape + " has no coordinates");
    return extent;
  }
}
