package tilewright.simulator.profile;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.simulator.Profile.BarrierUse;
import tilewright.simulator.Profile.TensorMemoryUse;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;

/** Counts the uses of mbarriers and Tensor Memory by warps of a launch's first CTAs. */
public final class UseTrace {
  private final Map<BarrierUse, Long> barriers = new HashMap<>();
  private final Map<TensorMemoryUse, Long> columns = new HashMap<>();

  /** A warp arrives at an mbarrier of a CTA, or has waited for it. */
  public synchronized void barrier(Cta owner, int offset, BarrierUse.Kind kind, Warp by) {
    if (owner.number >= Timeline.MOST_CTAS) return;
    barriers.merge(new BarrierUse(owner.position, offset, kind, by.cta.position, by.index, 0), 1L, Long::sum);
  }

  /** A warp uses columns of a CTA's Tensor Memory, or has tensor cores use them. */
  public synchronized void tensorMemory(Cta owner, int first, int count, String what, Warp by) {
    if (owner.number >= Timeline.MOST_CTAS) return;
    columns.merge(new TensorMemoryUse(owner.position, first, count, what, by.cta.position, by.index, 0), 1L, Long::sum);
  }

  synchronized List<BarrierUse> barriers() {
    return barriers.entrySet().stream().map(e -> e.getKey().times(e.getValue()))
        .sorted(Comparator.comparingInt((BarrierUse u) -> u.block().x()).thenComparingInt(BarrierUse::offset)
            .thenComparing(BarrierUse::kind).thenComparingInt(u -> u.by().x()).thenComparingInt(BarrierUse::warp))
        .toList();
  }

  public synchronized List<TensorMemoryUse> tensorMemory() {
    return columns.entrySet().stream().map(e -> e.getKey().times(e.getValue()))
        .sorted(Comparator.comparingInt((TensorMemoryUse u) -> u.block().x()).thenComparingInt(TensorMemoryUse::first)
            .thenComparingInt(TensorMemoryUse::columns).thenComparing(TensorMemoryUse::what)
            .thenComparingInt(u -> u.by().x()).thenComparingInt(TensorMemoryUse::warp))
        .toList();
  }
}
