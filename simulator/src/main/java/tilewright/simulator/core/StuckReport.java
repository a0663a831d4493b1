package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.TreeSet;
import tilewright.simulator.Finding.Kind;

/** Says who waits where when no warp of a CTA can go on. */
final class StuckReport {
  private StuckReport() {}

  static Fault of(Cta cta) {
    var waits = new ArrayList<String>();
    var objects = new TreeSet<String>();
    LaneGroup first = null;
    boolean parked = false;
    for (var w : cta.warps) {
      for (var g : w.groups) {
        var site = cta.kernel.sites().get(g.site);
        waits.add("warp " + w.index + (g.mask == w.live ? "" : " lanes " + lanes(g.mask)) + " at line " + site.line() + " ("
            + site.text() + ")");
        if (g.state == LaneGroup.State.AT_BARRIER) objects.add(cta.barriers.describe(g.barrier));
        if (g.state == LaneGroup.State.AT_MBARRIER) objects.add(cta.mbarriers.describe(g.barrier));
        boolean isParked = g.state == LaneGroup.State.PARKED;
        if (first == null || isParked && !parked) first = g;
        parked |= isParked;
      }
    }
    int exited = 0;
    for (var w : cta.warps) if (w.finished()) exited++;
    var message = "block " + cta.position + " cannot go on: " + String.join("; ", waits)
        + (exited > 0 ? "; " + exited + " warps have exited" : "") + (objects.isEmpty() ? "" : "; " + String.join("; ", objects));
    var kind = parked ? Kind.BARRIER_DIVERGENCE : Kind.DEADLOCK;
    return new Fault(kind, first == null ? Fault.NO_SITE : first.site, Fault.NO_LANE, 0, message);
  }

  private static String lanes(int mask) {
    var text = new StringBuilder();
    for (int i = 0; i < Warp.LANES; i++) {
      if ((mask >>> i & 1) == 0) continue;
      int end = i;
      while (end + 1 < Warp.LANES && (mask >>> end + 1 & 1) != 0) end++;
      if (!text.isEmpty()) text.append(',');
      text.append(i);
      if (end > i) text.append('-').append(end);
      i = end;
    }
    return text.toString();
  }
}
