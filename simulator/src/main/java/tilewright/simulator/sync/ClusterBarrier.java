package tilewright.simulator.sync;

import java.util.ArrayList;
import java.util.Arrays;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.SyncClock;

/**
 * The barrier of a cluster (PTX ISA, barrier.cluster): each thread arrives once and then waits once, and a phase
 * completes when all threads of all CTAs have arrived or exited.
 */
public final class ClusterBarrier {
  private final Warp[] warps;
  /** By warp, the lanes that have arrived in this phase, and those that have arrived and not passed a wait since. */
  private final int[] arrived;
  private final int[] armed;
  private long phase;
  /** The knowledge of threads that arrived in this phase, and of those in the one before; null when nobody watches. */
  private SyncClock arriving;
  private SyncClock completed;

  public ClusterBarrier(Warp[] warps) {
    this.warps = warps;
    arrived = new int[warps.length];
    armed = new int[warps.length];
  }

  public void reset() {
    Arrays.fill(arrived, 0);
    Arrays.fill(armed, 0);
    phase = 0;
    arriving = null;
    completed = null;
  }

  /** {@code barrier.cluster.arrive}. */
  public static void arrive(Warp w, int mask, int releases, int site) {
    var barrier = SyncUnits.of(w.cta).clusterBarrier();
    int i = w.number();
    int twice = barrier.armed[i] & mask;
    if (twice != 0) {
      throw invalid(w, twice, site, "arrives at the cluster's barrier a second time without waiting in between");
    }
    barrier.armed[i] |= mask;
    barrier.arrived[i] |= mask;
    if (w.cta.state.sanitize) {
      var causality = Sanitizer.of(w.cta).causality();
      if (barrier.arriving == null) barrier.arriving = causality.clock();
      causality.tensorOrder(w).tell(barrier.arriving.tensor);
      if (releases != 0) {
        causality.release(w, mask, barrier.arriving);
      } else {
        causality.releaseFenced(w, mask, MemoryOrder.Scope.CLUSTER, barrier.arriving);
      }
    }
    barrier.trace(w, Use.ARRIVE, barrier.isComplete());
    barrier.completeIfAll();
  }

  private void trace(Warp w, Use use, boolean completes) {
    w.cta.state.trace.ifPresent(t -> t.uses(SyncObject.clusterBarrier(w.cta.cluster), use, phase, completes));
  }

  /** {@code barrier.cluster.wait}; returns whether all lanes must wait. Lanes that must while others need not part. */
  public static int await(Warp w, int mask, int site) {
    var barrier = SyncUnits.of(w.cta).clusterBarrier();
    int i = w.number();
    int never = mask & ~barrier.armed[i];
    if (never != 0) throw invalid(w, never, site, "waits at the cluster's barrier without having arrived");
    int blocked = mask & barrier.arrived[i];
    int passed = mask & ~blocked;
    if (passed != 0) barrier.trace(w, Use.RESUME, false);
    barrier.armed[i] &= ~passed;
    if (passed != 0 && barrier.completed != null) {
      Sanitizer.of(w.cta).causality().acquire(w, passed, barrier.completed);
    }
    if (blocked == 0) return 0;
    var group = w.current;
    if (passed != 0) {
      group.mask = passed;
      group = new LaneGroup(blocked, group.block);
      w.groups.add(group);
    }
    group.state = LaneGroup.State.AT_CLUSTER_BARRIER;
    group.site = site;
    return passed == 0 ? 1 : 0;
  }

  private static Fault invalid(Warp w, int lanes, int site, String what) {
    int lane = Integer.numberOfTrailingZeros(lanes);
    return new Fault(Kind.INVALID_OPERATION, site, lane, 0, w.who(lane) + " " + what);
  }

  /** Threads have exited, which nobody waits for any more. */
  public void exited(Warp w) {
    if (isComplete()) trace(w, Use.ARRIVE, true);
    completeIfAll();
  }

  private boolean isComplete() {
    int any = 0;
    for (int i = 0; i < warps.length; i++) {
      if ((warps[i].live & ~arrived[i]) != 0) return false;
      any |= arrived[i];
    }
    return any != 0;
  }

  private void completeIfAll() {
    if (!isComplete()) return;
    phase++;
    completed = arriving;
    arriving = null;
    Arrays.fill(arrived, 0);
    for (var w : warps) w.resume(LaneGroup.State.AT_CLUSTER_BARRIER);
  }

  /** Names the warps that have not arrived, for a report. */
  public String describe() {
    var missing = new ArrayList<String>();
    for (int i = 0; i < warps.length; i++) {
      int lanes = warps[i].live & ~arrived[i];
      if (lanes == 0) continue;
      missing.add("warp " + warps[i].index + " of block " + warps[i].cta.position
          + (lanes == warps[i].live ? "" : " lanes " + LaneReport.ranges(lanes)));
    }
    return "the cluster's barrier in phase " + phase + " awaits " + String.join(", ", missing);
  }
}
