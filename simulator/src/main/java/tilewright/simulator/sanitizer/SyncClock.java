package tilewright.simulator.sanitizer;

import java.util.EnumMap;
import java.util.Map;
import tilewright.simulator.core.MemoryOrder;

/**
 * The clocks that threads exchange when they meet at a barrier: all they know, and how much of that a fence has made
 * ready for threads of its scope.
 */
public final class SyncClock {
  public final VectorClock known;
  /**
   * The part that too weak a scope makes known: earlier reads have been made, so that a write may follow, but earlier
   * writes need not be visible.
   */
  final VectorClock readsOnly;
  /** The part that concerns operations on Tensor Memory. */
  public final TensorOrder.Told tensor = new TensorOrder.Told();
  private final int cta;
  private final int warps;
  private final Map<MemoryOrder.Scope, VectorClock> fenced = new EnumMap<>(MemoryOrder.Scope.class);

  SyncClock(int cta, int warps) {
    this.cta = cta;
    this.warps = warps;
    known = VectorClock.ofCta(cta, warps);
    readsOnly = VectorClock.ofCta(cta, warps);
  }

  VectorClock fenced(MemoryOrder.Scope scope) {
    return fenced.computeIfAbsent(scope, _ -> VectorClock.ofCta(cta, warps));
  }

  Map<MemoryOrder.Scope, VectorClock> fenced() {
    return fenced;
  }

  public void join(SyncClock other) {
    known.join(other.known);
    readsOnly.join(other.readsOnly);
    tensor.join(other.tensor);
    other.fenced.forEach((scope, clock) -> fenced(scope).join(clock));
  }
}
