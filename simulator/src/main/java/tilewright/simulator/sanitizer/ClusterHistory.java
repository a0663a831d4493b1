package tilewright.simulator.sanitizer;

import java.util.HashMap;
import java.util.Map;
import tilewright.simulator.core.Cluster;

/** The sanitizer's knowledge of a cluster beyond its CTAs. */
public final class ClusterHistory {
  private final Cluster cluster;
  private final LaunchHistory launch;
  /** The memory accesses of asynchronous operations. */
  private final AsyncAccesses accesses = new AsyncAccesses();
  /** By address, what strong writes made known to all threads of the cluster. */
  private final Map<Long, VectorClock> published = new HashMap<>();

  public ClusterHistory(Cluster cluster, LaunchHistory launch) {
    this.cluster = cluster;
    this.launch = launch;
  }

  public void reset() {
    accesses.reset();
    published.clear();
  }

  LaunchHistory launch() {
    return launch;
  }

  AsyncAccesses accesses() {
    return accesses;
  }

  Map<Long, VectorClock> published() {
    return published;
  }

  /** Whether an access was made by a thread of this cluster. */
  boolean made(long epoch) {
    for (var cta : cluster.ctas) if (Epoch.cta(cta.number) == Epoch.ctaOf(epoch)) return true;
    return false;
  }

  /** The access that an epoch of an asynchronous operation stands for. */
  AsyncAccess access(long epoch) {
    return Epoch.isGlobal(epoch) ? launch.accesses().of(epoch) : accesses.of(epoch);
  }
}
