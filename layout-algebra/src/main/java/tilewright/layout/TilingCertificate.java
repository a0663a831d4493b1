package tilewright.layout;

import java.util.Arrays;
import java.util.Comparator;
import tilewright.layout.decision.Certificate;

/**
 * A layout and its complement together reach every integer below their size once: sorted by stride, each of their modes
 * begins where the one below it ends, which makes them a numeral system.
 */
record TilingCertificate(Layout layout, Layout complement, long bound) implements Certificate {

  @Override
  public boolean holds() {
    var both = Layout.of(layout.filter(), complement);
    long[] extents = both.flatShape();
    long[] strides = both.flatStride();
    var sorted = new Integer[extents.length];
    Arrays.setAll(sorted, i -> i);
    Arrays.sort(sorted, Comparator.comparingLong(i -> strides[i]));
    long end = 1;
    for (int i : sorted) {
      if (extents[i] == 1) continue;
      if (strides[i] != end) return false;
      end = Math.multiplyExact(end, extents[i]);
    }
    return end >= bound;
  }

  @Override
  public String explain() {
    return "sorted by stride, each mode of (" + layout.filter() + ", " + complement
        + ") begins where the one below it ends, and they reach " + bound;
  }
}
