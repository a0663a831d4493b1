package tilewright.simulator.machine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cluster;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sync.Mbarriers;
import tilewright.simulator.sync.SyncUnits;
import tilewright.simulator.tcgen05.TensorMemory;
import tilewright.simulator.wgmma.WgmmaUnits;

/** Says who waits where, and for what, when no warp of a cluster can go on and no operation is under way. */
final class StuckReport {
  /** Where some lanes wait; warps that wait alike are listed together. */
  private record Wait(int site, String lanes) {}

  private static final int MOST_OPERATIONS = 4;

  private final List<String> text = new ArrayList<>();
  /** The first that waits for more than other lanes of its warp. */
  private int site = Fault.NO_SITE;
  /** Where lanes of a warp wait that all wait for each other. */
  private int diverged = Fault.NO_SITE;

  private StuckReport() {}

  static Fault of(Cluster cluster) {
    var report = new StuckReport();
    for (var cta : cluster.ctas) {
      // A cluster's other blocks matter as far as they are not done.
      if (cluster.ctas.length == 1 || !cta.finished()) report.add(cta);
    }
    long exited = java.util.Arrays.stream(cluster.ctas).filter(Cta::finished).count();
    if (exited > 0) report.text.add(exited + " of the cluster's " + cluster.ctas.length + " blocks have exited");
    boolean divergence = report.diverged != Fault.NO_SITE;
    return new Fault(divergence ? Kind.BARRIER_DIVERGENCE : Kind.DEADLOCK, divergence ? report.diverged : report.site,
        Fault.NO_LANE, 0, String.join("; ", report.text));
  }

  /** Names the threads that wait in a cluster whose other warps poll. */
  static String waits(Cluster cluster) {
    var report = new StuckReport();
    for (var cta : cluster.ctas) if (cta.waits()) report.add(cta);
    return report.text.stream().map(t -> "; " + t).collect(Collectors.joining());
  }

  /** A launch that came to a limit: who waits by then, and which operations are under way, may tell why. */
  static Fault stopped(Fault limit, Cluster cluster) {
    var report = new StuckReport();
    report.text.add(limit.getMessage());
    for (var cta : cluster.ctas) if (cta.waits()) report.add(cta);
    var operations = cluster.async.operations();
    for (var operation : operations.subList(0, Math.min(MOST_OPERATIONS, operations.size()))) {
      report.text.add("under way: " + operation.describe());
    }
    int rest = operations.size() - MOST_OPERATIONS;
    if (rest > 0) report.text.add("and " + rest + " more operations");
    return new Fault(limit.kind, limit.site, limit.lane, limit.address, String.join("; ", report.text));
  }

  private void add(Cta cta) {
    var waits = new LinkedHashMap<Wait, List<Integer>>();
    var objects = new TreeSet<String>();
    int exited = 0;
    for (var w : cta.warps) {
      if (w.finished()) exited++;
      for (var g : w.groups) {
        if (g.state == LaneGroup.State.RUNNING) continue;
        var wait = new Wait(g.site, g.mask == w.live ? "" : LaneReport.ranges(g.mask));
        waits.computeIfAbsent(wait, _ -> new ArrayList<>()).add(w.index);
        if (g.state == LaneGroup.State.AT_CLUSTER_BARRIER) objects.add(SyncUnits.of(cta).clusterBarrier().describe());
        if (g.state == LaneGroup.State.AT_REGISTER_POOL) objects.add(SyncUnits.of(cta).registers().describe(w.index));
        if (g.state == LaneGroup.State.AT_MBARRIER) objects.add(Mbarriers.of(cta).describe(g.barrier));
        if (g.state == LaneGroup.State.AT_WGMMA) {
          objects.add(WgmmaUnits.of(cta).warpgroup(w.index / Warp.WARPGROUP_WARPS).holdUp());
        }
        if (site == Fault.NO_SITE && g.state != LaneGroup.State.PARKED) site = g.site;
      }
      boolean amongItself = !w.finished() && w.groups.stream().allMatch(g -> g.state == LaneGroup.State.PARKED);
      if (amongItself && diverged == Fault.NO_SITE) diverged = w.groups.getFirst().site;
    }
    objects.addAll(SyncUnits.of(cta).barriers().describe());
    objects.addAll(TensorMemory.of(cta).waiting());
    var parts = new ArrayList<String>();
    waits.forEach((wait, warps) -> parts.add(describe(cta, wait, warps)));
    if (exited > 0) parts.add(exited + (exited == 1 ? " warp has exited" : " warps have exited"));
    parts.addAll(objects);
    text.add("block " + cta.position + (cta.runs() ? " waits in part: " : " cannot go on: ")
        + String.join("; ", parts));
  }

  private static String describe(Cta cta, Wait wait, List<Integer> warps) {
    int mask = 0;
    for (int warp : warps) mask |= 1 << warp;
    return (warps.size() == 1 ? "warp " : "warps ") + LaneReport.ranges(mask)
        + (wait.lanes().isEmpty() ? "" : " lanes " + wait.lanes())
        + (warps.size() == 1 ? " waits" : " wait") + cta.at(wait.site());
  }
}
