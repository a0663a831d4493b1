package tilewright.simulator.sanitizer;

import java.util.HashMap;
import java.util.Map;

/** The sanitizer's knowledge of a launch beyond its clusters. */
public final class LaunchHistory {
  private final GlobalShadows shadows;
  private final GlobalAccesses accesses = new GlobalAccesses();
  private final Map<Long, VectorClock> published = new HashMap<>();

  public LaunchHistory(GlobalShadows shadows) {
    this.shadows = shadows;
  }

  GlobalShadows shadows() {
    return shadows;
  }

  GlobalAccesses accesses() {
    return accesses;
  }

  /** By address in global memory, what strong writes made known to all threads; lock it. */
  Map<Long, VectorClock> published() {
    return published;
  }
}
