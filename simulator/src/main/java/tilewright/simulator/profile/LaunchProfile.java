package tilewright.simulator.profile;

import java.util.ArrayList;
import java.util.List;
import tilewright.simulator.Occupancy;
import tilewright.simulator.Profile;
import tilewright.simulator.core.LaunchState;

/** The counts of a launch, worker by worker. */
public final class LaunchProfile {
  private final LaunchState state;
  private final Timeline timeline = new Timeline();
  private final UseTrace uses = new UseTrace();
  private final List<TrafficCounter> traffic = new ArrayList<>();
  private final List<ExecutionCounter> executions = new ArrayList<>();

  public LaunchProfile(LaunchState state) {
    this.state = state;
  }

  public Timeline timeline() {
    return timeline;
  }

  public UseTrace uses() {
    return uses;
  }

  /** Counters of their own for the CTAs of a worker. */
  public synchronized TrafficCounter newTraffic() {
    traffic.add(new TrafficCounter(state.kernel.sites()));
    return traffic.getLast();
  }

  public synchronized ExecutionCounter newExecutions() {
    executions.add(new ExecutionCounter(state.kernel.blocks().size()));
    return executions.getLast();
  }

  /** All that was moved. */
  public TrafficCounter traffic() {
    var sum = new TrafficCounter(state.kernel.sites());
    traffic.forEach(sum::add);
    return sum;
  }

  public Profile profile() {
    var kernel = state.kernel;
    var moved = traffic();
    var executed = new ExecutionCounter(kernel.blocks().size());
    executions.forEach(executed::add);
    var occupancy = Occupancy.of(kernel.target(), kernel.registers().live(),
        state.sharedBytes - kernel.memory().gapBytes(), (int) state.launch.block().size());
    return new Profile(executed.classes(kernel), executed.executions(kernel), moved.spaces(), moved.bulk(),
        moved.bankConflicts(), moved.globalTraffic(), occupancy, timeline.slices(), uses.barriers(),
        uses.tensorMemory());
  }
}
