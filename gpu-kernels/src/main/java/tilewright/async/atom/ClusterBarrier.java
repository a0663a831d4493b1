package tilewright.async.atom;

import tilewright.kernel.Scope;

/** {@code barrier.cluster}: waits for all threads of the cluster and orders their accesses (PTX ISA; SM90). */
public final class ClusterBarrier {
  private ClusterBarrier() {}

  /** Arrives and waits; what threads have written before is published to all. */
  public static void meet(Scope k) {
    k.emit("barrier.cluster.arrive.release.aligned");
    k.emit("barrier.cluster.wait.acquire.aligned");
  }

  /**
   * Arrives and waits where {@link Mbarrier#publish} has published all that the others need: a release would have every
   * thread wait for global memory too.
   */
  public static void meetPublished(Scope k) {
    k.emit("barrier.cluster.arrive.relaxed.aligned");
    k.emit("barrier.cluster.wait.acquire.aligned");
  }
}
