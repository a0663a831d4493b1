package tilewright.docs.blackwell;

import java.util.List;
import tilewright.ptx.Dim3;

/** Names of the roles of a CTA's warps; CTAs of a cluster lie side by side. */
record RoleNames(List<String> byWarp) {
  RoleNames {
    byWarp = List.copyOf(byWarp);
  }

  /** A warp as seen from a CTA: that of another one is called so. */
  String of(int warp, Dim3 by, Dim3 seenFrom) {
    return byWarp.get(warp) + (by.equals(seenFrom) ? "" : by.x() == 0 ? " of CTA 0" : " of CTA " + by.x());
  }
}
