package tilewright.simulator.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.profile.LaunchProfile;
import tilewright.simulator.sanitizer.LaunchHistory;
import tilewright.simulator.sanitizer.SystemHistory;

/** The launch of one device among several: the clusters that it runs at a time. */
final class DeviceRun {
  private static final int LONGEST_TURN = 64;
  private static final int MOST_ACTIVE = 64;

  private final LaunchState state;
  private final LaunchProfile profile;
  private final LaunchHistory history;
  private final List<ClusterRunner> active = new ArrayList<>();
  private final List<ClusterRunner> idle = new ArrayList<>();
  private int mostActive = MOST_ACTIVE;

  DeviceRun(LaunchState state, SystemHistory system) {
    this.state = state;
    profile = new LaunchProfile(state);
    history = new LaunchHistory(system, state);
  }

  LaunchState state() {
    return state;
  }

  List<ClusterRunner> active() {
    return active;
  }

  boolean finished() {
    return active.isEmpty() && !state.hasClusters();
  }

  /** Lets more clusters run at a time, if any are left; how many fit a device is not known. */
  boolean widen() {
    mostActive *= 2;
    return state.hasClusters();
  }

  /**
   * Begins a cluster, or runs one of those that have begun for a while.
   *
   * @throws Fault that is a finding already
   */
  void turn(SplittableRandom random) {
    boolean begins = state.hasClusters() && active.size() < mostActive && random.nextInt(active.size() + 1) < 2;
    if (begins) {
      var cluster = idle.isEmpty() ? new ClusterRunner(state, profile, history) : idle.removeLast();
      cluster.reset(state.takeCluster().orElseThrow());
      active.add(cluster);
      return;
    }
    int chosen = random.nextInt(active.size());
    var runner = active.get(chosen);
    try {
      boolean done = runner.run(1 + random.nextInt(LONGEST_TURN));
      runner.flush();
      if (done) idle.add(active.remove(chosen));
    } catch (Fault f) {
      Machine.blame(f, runner, state);
      throw f;
    }
  }

  SimulationResult result(SimulatorOptions options, long start) {
    return Machine.result(state, profile, options, start);
  }
}
