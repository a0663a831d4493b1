package tilewright.docs;

import java.util.List;
import tilewright.ptx.Dim3;

/** What the warps of a CTA are called; CTAs of a cluster lie side by side. */
record RoleNames(List<String> byWarp) {
  RoleNames {
    byWarp = List.copyOf(byWarp);
  }

  /** A warp as seen from a CTA: that of another one is called so. */
  String of(int warp, Dim3 by, Dim3 seenFrom) {
    return byWarp.get(warp) + (by.equals(seenFrom) ? "" : by.x() == 0 ? " of CTA 0" : " of CTA " + by.x());
  }
}
