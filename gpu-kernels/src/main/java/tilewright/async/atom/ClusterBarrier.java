package tilewright.async.atom;

import tilewright.kernel.Scope;

/** {@code barrier.cluster}: waits for all threads of the cluster and orders their accesses (PTX ISA; SM90). */
public final class ClusterBarrier {
  private ClusterBarrier() {}

  /** Arrives and waits. */
  public static void meet(Scope k) {
    k.emit("barrier.cluster.arrive.release.aligned");
    k.emit("barrier.cluster.wait.acquire.aligned");
  }
}
