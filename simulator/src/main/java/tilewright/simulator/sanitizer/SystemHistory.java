package tilewright.simulator.sanitizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.core.Site;

/** The sanitizer's knowledge of all devices that run at the same time: one, or several that share their memory. */
public final class SystemHistory {
  private final GlobalShadows shadows;
  private final GlobalAccesses accesses = new GlobalAccesses();
  private final List<LaunchState> launches = new ArrayList<>();
  /** By address in global memory, what strong writes of scope .sys made known to all threads of all devices. */
  private final Map<Long, VectorClock> published = new HashMap<>();
  private final List<NarrowRelease> narrow = new ArrayList<>();

  /** The knowledge that an instruction made ready for threads of its own device, but not of others. */
  private record NarrowRelease(Site at, VectorClock told) {}

  public SystemHistory(GlobalShadows shadows) {
    this.shadows = shadows;
  }

  /** Adds a launch, whose CTAs have numbers of their own. */
  void add(LaunchState launch) {
    launches.add(launch);
  }

  GlobalShadows shadows() {
    return shadows;
  }

  GlobalAccesses accesses() {
    return accesses;
  }

  Map<Long, VectorClock> published() {
    return published;
  }

  /** Whether there are several devices. */
  boolean spansDevices() {
    return launches.size() > 1;
  }

  /** The launch whose thread made an access. */
  LaunchState launch(long epoch) {
    if (!spansDevices()) return launches.getFirst();
    return launches.stream().filter(l -> l.has(Epoch.ctaOf(epoch))).findFirst().orElseThrow();
  }

  /** The number of a launch among those of the run. */
  int position(LaunchState launch) {
    return launches.indexOf(launch);
  }

  /** A release that does not reach other devices made so much known. */
  void releasedNarrowly(Site at, VectorClock told) {
    narrow.stream().filter(n -> n.at == at).findFirst().orElseGet(() -> {
      narrow.add(new NarrowRelease(at, VectorClock.ofLaunch()));
      return narrow.getLast();
    }).told.join(told);
  }

  /** An instruction behind an access that would have made it known to other devices, were its scope .sys. */
  Optional<Site> narrowRelease(long epoch) {
    return narrow.stream().filter(n -> n.told.knows(epoch)).map(NarrowRelease::at).findFirst();
  }

  /** Whether an access was released at scope .sys, so that an acquire would have ordered it. */
  boolean isReleased(long epoch) {
    return published.values().stream().anyMatch(clock -> clock.knows(epoch));
  }
}
