package tilewright.simulator.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import tilewright.ptx.LaunchGroup;
import tilewright.simulator.GroupResult;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.mma.MmaArithmetic;
import tilewright.simulator.sanitizer.SystemHistory;

/**
 * Executes the launches of several devices at the same time. One thread runs their clusters for short whiles in a
 * seeded order, in which some devices are slower than others for a time. Now and then it looks whether they all wait
 * for each other.
 */
public final class GroupMachine {
  /** CTAs of all devices, as far as the sanitizer tells them apart. */
  private static final long MOST_CTAS = (1 << 25) - 1;
  /** Turns after which devices may change their speeds. */
  private static final int PHASE = 64;
  /** A device gets a turn so often, compared to the others. */
  private static final int[] SPEEDS = {1, 4, 16};
  /** Turns before the first look for a standstill; each later one comes after twice as many. */
  private static final long FIRST_LOOK = 1 << 8;

  private final List<DeviceRun> devices = new ArrayList<>();
  private final GroupMemory memory;
  private final SplittableRandom random;
  private final int[] speeds;

  private GroupMachine(List<Kernel> kernels, LaunchGroup group, SimulatorOptions options, long start) {
    memory = new GroupMemory(kernels, group, options);
    random = new SplittableRandom(options.seed());
    speeds = new int[kernels.size()];
    var system = new SystemHistory(memory.shadows());
    long ctas = 0;
    for (int i = 0; i < kernels.size(); i++) {
      var state = memory.state(i, ctas, start);
      ctas += state.grid.grid().size();
      devices.add(new DeviceRun(state, system));
    }
    if (ctas > MOST_CTAS) {
      throw new IllegalArgumentException("the launches have " + ctas + " blocks, but the simulator takes at most "
          + MOST_CTAS + " of all devices together");
    }
  }

  /**
   * Runs launches that fit their kernels; their buffers are updated in place.
   *
   * @param kernels of the members, with variables in windows of their own
   * @param start {@link System#nanoTime} when the limited time began
   */
  public static GroupResult run(List<Kernel> kernels, LaunchGroup group, SimulatorOptions options, long start) {
    for (int i = 0; i < kernels.size(); i++) {
      var launch = group.members().get(i).launch();
      int architecture = LaunchState.architecture(kernels.get(i), options);
      LaunchChecks.require(kernels.get(i), launch, architecture);
      MmaArithmetic.require(kernels.get(i).sites(), architecture);
    }
    var excess = MemoryNeed.excess(kernels, group, options);
    if (excess.isPresent()) return onFirst(group, excess.get());
    try {
      var machine = new GroupMachine(kernels, group, options, start);
      machine.execute();
      machine.memory.writeBack();
      var results = new TreeMap<Integer, SimulationResult>();
      for (int i = 0; i < kernels.size(); i++) {
        results.put(group.members().get(i).device(), machine.devices.get(i).result(options, start));
      }
      return new GroupResult(results);
    } catch (OutOfMemoryError _) {
      return onFirst(group, MemoryNeed.exhausted());
    }
  }

  private static GroupResult onFirst(LaunchGroup group, SimulationResult result) {
    return new GroupResult(new TreeMap<>(Map.of(group.members().getFirst().device(), result)));
  }

  private void execute() {
    long look = FIRST_LOOK;
    for (long turn = 0; ; turn++) {
      if (turn % PHASE == 0) for (int i = 0; i < speeds.length; i++) speeds[i] = SPEEDS[random.nextInt(SPEEDS.length)];
      var device = next();
      if (device.isEmpty()) return;
      try {
        device.get().turn(random);
        if (turn < look) continue;
        look *= 2;
        if (Standstill.report(devices, memory)) return;
      } catch (Fault f) {
        return;
      }
    }
  }

  /** Chooses a device that has work left. */
  private Optional<DeviceRun> next() {
    int sum = 0;
    for (int i = 0; i < speeds.length; i++) if (!devices.get(i).finished()) sum += speeds[i];
    if (sum == 0) return Optional.empty();
    int left = random.nextInt(sum);
    for (int i = 0; i < speeds.length; i++) {
      if (devices.get(i).finished()) continue;
      left -= speeds[i];
      if (left < 0) return Optional.of(devices.get(i));
    }
    throw new IllegalStateException("speeds have changed");
  }
}
