package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import tilewright.simulator.Finding.Kind;

/** Says who waits where when no warp of a CTA can go on. */
final class StuckReport {
  /** Where some lanes wait; warps that wait alike are listed together. */
  private record Wait(int site, String lanes) {}

  private StuckReport() {}

  static Fault of(Cta cta) {
    var waits = new LinkedHashMap<Wait, List<Integer>>();
    var objects = new TreeSet<String>();
    int site = Fault.NO_SITE;
    boolean parked = false;
    int exited = 0;
    for (var w : cta.warps) {
      if (w.finished()) exited++;
      for (var g : w.groups) {
        var wait = new Wait(g.site, g.mask == w.live ? "" : LaneReport.ranges(g.mask));
        waits.computeIfAbsent(wait, _ -> new ArrayList<>()).add(w.index);
        if (g.state == LaneGroup.State.AT_BARRIER) objects.add(cta.barriers.describe(g.barrier));
        if (g.state == LaneGroup.State.AT_MBARRIER) objects.add(cta.mbarriers.describe(g.barrier));
        boolean isParked = g.state == LaneGroup.State.PARKED;
        if (site == Fault.NO_SITE || isParked && !parked) site = g.site;
        parked |= isParked;
      }
    }
    var text = new ArrayList<String>();
    waits.forEach((wait, warps) -> text.add(describe(cta, wait, warps)));
    if (exited > 0) text.add(exited + (exited == 1 ? " warp has exited" : " warps have exited"));
    text.addAll(objects);
    return new Fault(parked ? Kind.BARRIER_DIVERGENCE : Kind.DEADLOCK, site, Fault.NO_LANE, 0,
        "block " + cta.position + " cannot go on: " + String.join("; ", text));
  }

  private static String describe(Cta cta, Wait wait, List<Integer> warps) {
    var at = cta.kernel.sites().get(wait.site());
    int mask = 0;
    for (int warp : warps) mask |= 1 << warp;
    return (warps.size() == 1 ? "warp " : "warps ") + LaneReport.ranges(mask)
        + (wait.lanes().isEmpty() ? "" : " lanes " + wait.lanes())
        + (warps.size() == 1 ? " waits" : " wait") + " at line " + at.line() + " (" + at.text() + ")";
  }
}
