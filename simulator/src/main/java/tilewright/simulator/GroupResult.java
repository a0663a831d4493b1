package tilewright.simulator;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The outcome of launches that ran at the same time. A launch that was stopped stops the others.
 *
 * @param devices the outcome of each device's launch; a race with another device is found by the later access
 */
public record GroupResult(SortedMap<Integer, SimulationResult> devices) {
  public GroupResult {
    devices = new TreeMap<>(devices);
  }

  /** Whether all launches ran to their ends and nothing was found. */
  public boolean ok() {
    return devices.values().stream().allMatch(SimulationResult::ok);
  }

  /** The findings of all devices, in order of the devices. */
  public List<Finding> findings() {
    return devices.values().stream().flatMap(r -> r.findings().stream()).toList();
  }
}
