package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Arrivals of {@code cp.async} copies at mbarriers (PTX ISA, cp.async.mbarrier.arrive). Each happens when the seed says
 * so, at the latest when nothing else can run; the copies that its thread had issued before land first.
 */
public final class AsyncArrivals {
  private final Cta cta;
  private final List<Arrival> pending = new ArrayList<>();

  private record Arrival(Warp warp, int lane, int issued, int mbarrier, int site) {}

  AsyncArrivals(Cta cta) {
    this.cta = cta;
  }

  void reset() {
    pending.clear();
  }

  boolean pending() {
    return !pending.isEmpty();
  }

  /** Announces arrivals at the mbarriers in {@link Warp#offsets}. */
  public static void arrive(Warp w, int mask, int extra, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      Mbarriers.announce(w, lane, extra, site);
      w.cta.arrivals.pending.add(new Arrival(w, lane, w.copies.issued(), w.offsets[lane], site));
    }
  }

  void landOne() {
    land(pending.remove(cta.random().nextInt(pending.size())));
  }

  void drain() {
    while (pending()) land(pending.removeFirst());
  }

  private void land(Arrival a) {
    a.warp.copies.completeUntil(a.lane, a.issued);
    cta.mbarriers.landed(a.warp, a.lane, a.mbarrier, a.site);
  }
}
