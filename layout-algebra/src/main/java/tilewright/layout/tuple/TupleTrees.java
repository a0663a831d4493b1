package tilewright.layout.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.function.Function;

/** Operations on the trees of tuples and layouts, whatever stands at their leaves. */
public final class TupleTrees {
  private TupleTrees() {}

  /** The number times all integers, left to right: a 0 on the left hides what would be too large on the right. */
  static long product(long factor, IntTuple tuple) {
    return switch (tuple) {
      case IntTuple.Leaf(long value) -> Math.multiplyExact(factor, value);
      case IntTuple.Tuple t -> {
        long product = factor;
        for (var element : t.elements()) product = product(product, element);
        yield product;
      }
    };
  }

  static int leafCount(IntTuple tuple) {
    if (!(tuple instanceof IntTuple.Tuple t)) return 1;
    int count = 0;
    for (var element : t.elements()) count += leafCount(element);
    return count;
  }

  /** Writes the integers from a place on and returns the place behind the last. */
  static int fill(IntTuple tuple, long[] leaves, int place) {
    switch (tuple) {
      case IntTuple.Leaf(long value) -> leaves[place++] = value;
      case IntTuple.Tuple t -> {
        for (var element : t.elements()) place = fill(element, leaves, place);
      }
    }
    return place;
  }

  static IntTuple unflatten(IntTuple values, IntTuple profile) {
    if (values.leaves().count() != profile.leaves().count()) {
      throw new IllegalArgumentException(values + " does not fit the tree of " + profile + ", which has "
          + profile.leaves().count() + " integers");
    }
    return refill(profile, values.leaves().iterator());
  }

  private static IntTuple refill(IntTuple profile, PrimitiveIterator.OfLong values) {
    if (profile instanceof IntTuple.Leaf) return IntTuple.of(values.nextLong());
    var modes = new ArrayList<IntTuple>();
    for (var mode : profile.modes()) modes.add(refill(mode, values));
    return IntTuple.of(modes);
  }

  /** Modes {@code begin} to {@code end} − 1 replaced by what {@code together} makes of them. */
  public static <T> List<T> grouped(List<T> modes, int begin, int end, Function<List<T>, T> together) {
    requireRange(modes, begin, end);
    var grouped = new ArrayList<>(modes.subList(0, begin));
    grouped.add(together.apply(modes.subList(begin, end)));
    grouped.addAll(modes.subList(end, modes.size()));
    return grouped;
  }

  public static <T> List<T> range(List<T> modes, int begin, int end) {
    requireRange(modes, begin, end);
    return modes.subList(begin, end);
  }

  private static void requireRange(List<?> modes, int begin, int end) {
    if (begin < 0 || end < begin || end > modes.size()) {
      throw new IndexOutOfBoundsException("modes " + begin + " to " + end + " of " + modes.size());
    }
  }
}
