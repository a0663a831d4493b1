package tilewright.simulator.core;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Dim3;
import tilewright.simulator.Profile.BarrierUse;

/** Which warps of a launch's first CTAs arrive at mbarriers, and which wait for them. */
final class MbarrierTrace {
  private final Map<Use, Long> times = new HashMap<>();

  private record Use(Dim3 block, int offset, BarrierUse.Kind kind, Dim3 by, int warp) {
    BarrierUse times(long n) {
      return new BarrierUse(block, offset, kind, by, warp, n);
    }
  }

  synchronized void add(Cta owner, int offset, BarrierUse.Kind kind, Warp by) {
    if (owner.number >= Timeline.MOST_CTAS) return;
    times.merge(new Use(owner.position, offset, kind, by.cta.position, by.index), 1L, Long::sum);
  }

  synchronized List<BarrierUse> uses() {
    return times.entrySet().stream().map(e -> e.getKey().times(e.getValue()))
        .sorted(Comparator.comparingInt((BarrierUse u) -> u.block().x()).thenComparingInt(BarrierUse::offset)
            .thenComparing(BarrierUse::kind).thenComparingInt(u -> u.by().x()).thenComparingInt(BarrierUse::warp))
        .toList();
  }
}
