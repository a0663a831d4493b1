package tilewright.layout;

import tilewright.layout.decision.Decision;

/** The longest run that two layouts address alike: R with a(R(i)) = b(R(i)) = i (CuTe's max_common_layout). */
final class MaxCommon {
  /** The most offsets that are compared where the composition of both has no layout to read the run from. */
  private static final long LONGEST_SCAN = 1 << 20;

  private MaxCommon() {}

  static Layout of(Layout a, Layout b) {
    // Where several indices share an offset, each layout's right inverse may pick another one.
    var first = along(Inverse.right(b, Dialect.RightInverse.MAXIMAL), a);
    var second = along(Inverse.right(a, Dialect.RightInverse.MAXIMAL), b);
    return LongestInverse.of(Math.min(a.size(), b.size()), i -> a.apply(i) == b.apply(i) ? a.apply(i) : -1,
        second.size() > first.size() ? second : first);
  }

  private static Layout along(Layout inverse, Layout a) {
    return inverse.composition(Layout.of(whole(inverse, run(a, inverse)), 1)).coalesce();
  }

  /** The length of the longest run on which a undoes the inverse without leaving its own size. */
  private static long run(Layout a, Layout inverse) {
    if (Composition.of(a, inverse) instanceof Decision.Defined<Layout> both) {
      var first = Modes.of(both.result().coalesce()).list().getFirst();
      long length = first.stride() == 1 ? first.extent() : 1;
      if (inverse.apply(length - 1) < a.size()) return length;
    }
    long length = 1;
    while (length < Math.min(inverse.size(), LONGEST_SCAN) && undoes(a, inverse, length)) length++;
    return length;
  }

  private static boolean undoes(Layout a, Layout inverse, long offset) {
    long index = inverse.apply(offset);
    return index < a.size() && a.apply(index) == offset;
  }

  /** The part of a run that the inverse's first modes, the last of them cut short, are a layout of. */
  private static long whole(Layout inverse, long length) {
    long below = 1;
    for (var mode : Modes.of(inverse).list()) {
      if (below * mode.extent() > length) break;
      below *= mode.extent();
    }
    return length / below * below;
  }
}
