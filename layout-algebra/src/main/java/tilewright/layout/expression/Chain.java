package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tilewright.layout.Layout;

/** The modes of a layout and of its complement, sorted by stride: each begins where the one before it ends. */
final class Chain {
  private Chain() {}

  /** @param own whether the mode is the layout's; otherwise it is a gap that the complement fills */
  record Link(long extent, long stride, boolean own) {
    long reach() {
      return Math.multiplyExact(extent, stride);
    }
  }

  static List<Link> of(Layout layout, Layout complement) {
    var links = new ArrayList<Link>();
    collect(layout, true, links);
    collect(complement, false, links);
    links.sort(Comparator.comparingLong(Link::stride));
    return links;
  }

  private static void collect(Layout layout, boolean own, List<Link> links) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    for (int i = 0; i < extents.length; i++) if (extents[i] > 1) links.add(new Link(extents[i], strides[i], own));
  }
}
