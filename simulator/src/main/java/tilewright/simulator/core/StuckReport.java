package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import tilewright.simulator.Finding.Kind;

/** Says who waits where, and for what, when no warp of a cluster can go on and no operation is under way. */
final class StuckReport {
  /** Where some lanes wait; warps that wait alike are listed together. */
  private record Wait(int site, String lanes) {}

  private final List<String> text = new ArrayList<>();
  private int site = Fault.NO_SITE;
  private boolean parked;

  private StuckReport() {}

  static Fault of(Cluster cluster) {
    var report = new StuckReport();
    for (var cta : cluster.ctas) {
      // A cluster's other blocks matter as far as they are not done.
      if (cluster.ctas.length == 1 || !cta.finished()) report.add(cta);
    }
    long exited = java.util.Arrays.stream(cluster.ctas).filter(Cta::finished).count();
    if (exited > 0) report.text.add(exited + " of the cluster's " + cluster.ctas.length + " blocks have exited");
    return new Fault(report.parked ? Kind.BARRIER_DIVERGENCE : Kind.DEADLOCK, report.site, Fault.NO_LANE, 0,
        String.join("; ", report.text));
  }

  private void add(Cta cta) {
    var waits = new LinkedHashMap<Wait, List<Integer>>();
    var objects = new TreeSet<String>();
    int exited = 0;
    for (var w : cta.warps) {
      if (w.finished()) exited++;
      for (var g : w.groups) {
        var wait = new Wait(g.site, g.mask == w.live ? "" : LaneReport.ranges(g.mask));
        waits.computeIfAbsent(wait, _ -> new ArrayList<>()).add(w.index);
        if (g.state == LaneGroup.State.AT_BARRIER) objects.add(cta.barriers.describe(g.barrier));
        if (g.state == LaneGroup.State.AT_CLUSTER_BARRIER) objects.add(cta.cluster.barrier.describe());
        if (g.state == LaneGroup.State.AT_REGISTER_POOL) objects.add(cta.registers.describe(w.index));
        if (g.state == LaneGroup.State.AT_MBARRIER) objects.add(cta.mbarriers.describe(g.barrier));
        if (g.state == LaneGroup.State.AT_WGMMA) objects.add(cta.warpgroup(w.index / Warpgroup.WARPS).holdUp());
        boolean isParked = g.state == LaneGroup.State.PARKED;
        if (site == Fault.NO_SITE || isParked && !parked) site = g.site;
        parked |= isParked;
      }
    }
    objects.addAll(cta.tensor.waiting());
    var parts = new ArrayList<String>();
    waits.forEach((wait, warps) -> parts.add(describe(cta, wait, warps)));
    if (exited > 0) parts.add(exited + (exited == 1 ? " warp has exited" : " warps have exited"));
    parts.addAll(objects);
    text.add("block " + cta.position + " cannot go on: " + String.join("; ", parts));
  }

  private static String describe(Cta cta, Wait wait, List<Integer> warps) {
    int mask = 0;
    for (int warp : warps) mask |= 1 << warp;
    return (warps.size() == 1 ? "warp " : "warps ") + LaneReport.ranges(mask)
        + (wait.lanes().isEmpty() ? "" : " lanes " + wait.lanes())
        + (warps.size() == 1 ? " waits" : " wait") + cta.at(wait.site());
  }
}
