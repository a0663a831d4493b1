package tilewright.simulator.sanitizer;

import java.util.Arrays;
import java.util.function.Supplier;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.Warp;

/**
 * Accesses to a CTA's shared memory by threads of other CTAs: none may come before the CTA has started or after it has
 * exited, and something must make sure of that.
 */
public final class Visits {
  private static final String START_FIX = "let all blocks of the cluster meet first, by barrier.cluster";
  private static final String EXIT_FIX =
      "let the block wait for its visitors before it exits, by barrier.cluster or an mbarrier that they arrive at";

  private final Cta owner;
  /** By number of the visiting warp in the cluster, its latest visit and the instruction. */
  private final long[] latest;
  private final int[] sites;
  /** All that threads knew when they exited. */
  private SyncClock atExit;
  private boolean any;

  Visits(Cta owner) {
    this.owner = owner;
    int visitors = owner.cluster.ctas.length * owner.warps.length;
    latest = new long[visitors];
    sites = new int[visitors];
  }

  void reset() {
    Arrays.fill(latest, 0);
    atExit = owner.state.sanitize ? Sanitizer.of(owner).causality().clock() : null;
    any = false;
  }

  /** A thread of another CTA accesses the memory. */
  void begin(Warp w, int lane, long epoch, int site) {
    any = true;
    latest[w.number()] = epoch;
    sites[w.number()] = site;
    requireStarted(w, lane, site);
  }

  /** A thread of another CTA lets something access the memory, of which the CTA's own mbarrier tells the end. */
  void requireStarted(Warp w, int lane, int site) {
    if (Sanitizer.of(w.cta).causality().knowsOf(w, lane, owner)) return;
    report(w, lane, site, START_FIX, () -> w.who(lane) + " accesses the shared memory of block "
        + owner.position + " of its cluster, and nothing makes sure that that has started");
  }

  /** Threads of the CTA exit. */
  public void exit(Warp w, int lanes) {
    if (owner.cluster.ctas.length == 1) return;
    Sanitizer.of(owner).causality().release(w, lanes, atExit);
    if (!any || !owner.finished()) return;
    for (int i = 0; i < latest.length; i++) {
      if (latest[i] == 0 || atExit.known.knows(latest[i]) || atExit.readsOnly.knows(latest[i])) continue;
      var visitor = owner.cluster.warp(i);
      int lane = Epoch.lane(latest[i]);
      report(visitor, lane, sites[i], EXIT_FIX, () -> visitor.who(lane)
          + " accesses the shared memory of block " + owner.position
          + " of its cluster, and nothing makes sure that that has not exited by then");
    }
  }

  private void report(Warp w, int lane, int site, String fix, Supplier<String> message) {
    owner.state.findings.add(new Findings.Report(Kind.RACE, site, w.cta, w.thread(lane), 0, fix), message);
  }
}
