package tilewright.layout;

import java.util.ArrayList;

/** Colexicographic indices and hierarchical coordinates. The last mode is unbounded, as in CuTe. */
final class Coordinates {
  private Coordinates() {}

  static long offset(IntTuple coordinate, IntTuple shape, IntTuple stride) {
    return switch (coordinate) {
      case IntTuple.Leaf leaf -> offset(leaf.value(), shape, stride);
      case IntTuple.Tuple t -> {
        if (t.rank() != shape.rank() || shape instanceof IntTuple.Leaf) {
          throw new IllegalArgumentException("coordinate " + coordinate + " does not fit shape " + shape);
        }
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
      if (!last && extents[i] == 0) throw new IllegalArgumentException("index " + index + " in the empty shape " + shape);
      long digit = last ? index : index % extents[i];
      if (!last) index /= extents[i];
      sum = Math.addExact(sum, Math.multiplyExact(digit, strides[i]));
    }
    return sum;
  }

  static IntTuple of(long index, IntTuple shape) {
    return switch (shape) {
      case IntTuple.Leaf _ -> IntTuple.of(index);
      case IntTuple.Tuple t -> {
        var coordinate = new ArrayList<IntTuple>();
        for (int i = 0; i < t.rank(); i++) {
          boolean last = i + 1 == t.rank();
          long extent = t.mode(i).size();
          coordinate.add(of(last ? index : index % extent, t.mode(i)));
          if (!last) index /= extent;
        }
        yield IntTuple.of(coordinate);
      }
    };
  }
}
