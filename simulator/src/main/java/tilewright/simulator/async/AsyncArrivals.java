package tilewright.simulator.async;

import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sync.Mbarriers;

/**
 * Arrivals of {@code cp.async} copies at mbarriers (PTX ISA, cp.async.mbarrier.arrive). The copies that its thread had
 * issued before land first.
 */
public final class AsyncArrivals {
  private AsyncArrivals() {}

  private record Arrival(Warp warp, int lane, int issued, int mbarrier, int site) implements AsyncOperation {
    @Override
    public void complete() {
      AsyncCopies.of(warp).completeUntil(lane, issued);
      var sanitizer = Sanitizer.of(warp.cta);
      var known = sanitizer == null ? null : sanitizer.snapshot(warp, lane);
      Mbarriers.of(warp.cta).arrive(warp, lane, mbarrier, known, site);
    }

    @Override
    public String describe() {
      return "the arrival of copies by " + warp.who(lane) + warp.cta.at(site);
    }
  }

  /** Announces arrivals at the mbarriers in {@link Warp#offsets}. */
  public static void arrive(Warp w, int mask, int extra, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      Mbarriers.announce(w, lane, extra, site);
      w.cta.cluster.async.issue(new Arrival(w, lane, AsyncCopies.of(w).issued(), w.offsets[lane], site));
    }
  }
}
