package tilewright.simulator.sanitizer;

import java.util.HashMap;
import java.util.Map;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.core.Site;

/** The sanitizer's knowledge of a launch beyond its clusters. */
public final class LaunchHistory {
  private final SystemHistory system;
  private final LaunchState state;
  private final Map<Long, VectorClock> published = new HashMap<>();

  /** @param system that the launch takes part in */
  public LaunchHistory(SystemHistory system, LaunchState state) {
    this.system = system;
    this.state = state;
    system.add(state);
  }

  /** The history of a launch that runs alone. */
  public LaunchHistory(GlobalShadows shadows, LaunchState state) {
    this(new SystemHistory(shadows), state);
  }

  SystemHistory system() {
    return system;
  }

  GlobalShadows shadows() {
    return system.shadows();
  }

  GlobalAccesses accesses() {
    return system.accesses();
  }

  /** By address in global memory, what strong writes made known to all threads of the device; lock it. */
  Map<Long, VectorClock> published() {
    return published;
  }

  /** Whether an access was made by a thread of this device. */
  boolean made(long epoch) {
    return !system.spansDevices() || state.has(Epoch.ctaOf(epoch));
  }

  /** The instruction of an access, which may be another kernel's. */
  Site site(long epoch, int number) {
    return system.launch(epoch).kernel.sites().get(number);
  }

  /** The number by which findings of this launch know an instruction: those of other kernels follow its own. */
  int numbered(long epoch, int number) {
    var launch = system.launch(epoch);
    int own = state.kernel.sites().size();
    return launch.kernel == state.kernel ? number : own + system.position(launch) * Shadow.MOST_SITES + number;
  }
}
