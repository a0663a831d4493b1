package tilewright.simulator.async;

import java.util.Arrays;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.AsyncQueue;
import tilewright.simulator.sanitizer.Sanitizer;

/** The bulk asynchronous groups of a CTA's threads (PTX ISA, Bulk async-groups). */
public final class BulkGroups {
  private final Cta cta;
  private final int[][] committed;
  /** By warp and lane, for the sanitizer: of groups that have read, and that have written; null before the first. */
  private final AsyncQueue[][] queues;
  private final AsyncQueue[][] written;
  /** Whether anything has changed since the last reset. */
  private boolean used;

  /** An operation that belongs to a group. */
  interface Member extends AsyncOperation {
    Issuer issuer();

    /** How many groups its thread had committed when it was issued. */
    int group();

    /** Whether it still reads its source. */
    boolean reads();
  }

  public BulkGroups(Cta cta) {
    this.cta = cta;
    committed = new int[cta.warps.length][Warp.LANES];
    queues = new AsyncQueue[cta.warps.length][Warp.LANES];
    written = new AsyncQueue[cta.warps.length][Warp.LANES];
  }

  public void reset() {
    if (!used) return;
    used = false;
    for (var c : committed) Arrays.fill(c, 0);
    for (var q : queues) Arrays.fill(q, null);
    for (var q : written) Arrays.fill(q, null);
  }

  /** The group that operations of a thread join now. */
  int open(Warp w, int lane) {
    return committed[w.index][lane];
  }

  /** The queue in which a thread's groups count once they have read their sources. */
  AsyncQueue queue(Warp w, int lane) {
    return queue(queues[w.index], lane);
  }

  /** The queue in which a thread's groups count once they have written their destinations. */
  AsyncQueue written(Warp w, int lane) {
    return queue(written[w.index], lane);
  }

  private AsyncQueue queue(AsyncQueue[] byLane, int lane) {
    used = true;
    if (byLane[lane] == null) byLane[lane] = Sanitizer.of(cta).causality().queue();
    return byLane[lane];
  }

  public static void commit(Warp w, int mask) {
    var groups = CopyUnits.of(w.cta).groups();
    groups.used = true;
    int[] counts = groups.committed[w.index];
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) counts[lane]++;
  }

  /** Waits for all groups of the lanes but the newest {@code groups}; {@code reads}: only until they have read. */
  public static void await(Warp w, int mask, int groups, int reads, int site) {
    int[] counts = CopyUnits.of(w.cta).groups().committed[w.index];
    w.cta.cluster.async.complete(op -> op instanceof Member m && m.issuer().warp() == w
        && (mask >>> m.issuer().lane() & 1) != 0 && m.group() < counts[m.issuer().lane()] - groups
        && (reads == 0 || m.reads()));
    w.cta.state.trace.ifPresent(t -> {
      for (int rest = mask; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        t.uses(SyncObject.copyGroups(w, lane), SyncTrace.Use.RESUME, counts[lane] - groups, false);
      }
    });
    if (!w.cta.state.sanitize) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var all = CopyUnits.of(w.cta).groups();
      for (var queue : new AsyncQueue[] {all.queues[w.index][lane], reads == 0 ? all.written[w.index][lane] : null}) {
        if (queue != null) Sanitizer.of(w.cta).causality().complete(w, 1 << lane, queue, counts[lane] - groups);
      }
    }
  }
}
