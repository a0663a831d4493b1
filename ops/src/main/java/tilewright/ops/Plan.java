package tilewright.ops;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;

/**
 * Launches of one operator, one after the other.
 *
 * @param zeros bytes of buffers that are zeros before the first run
 */
record Plan(List<PreparedLaunch> launches, Map<String, Long> zeros) {
  Plan {
    launches = List.copyOf(launches);
    zeros = Map.copyOf(zeros);
  }

  static Plan of(PreparedLaunch... launches) {
    return new Plan(List.of(launches), Map.of());
  }

  /** Launches with memory of their own, which may begin as zeros as well as anything else. */
  static Plan of(LaunchSequence sequence, Map<String, Long> zeros) {
    var memory = new HashMap<>(zeros);
    sequence.workspace().forEach(part -> memory.put(part.name(), part.bytes()));
    return new Plan(sequence.launches(), memory);
  }
}
