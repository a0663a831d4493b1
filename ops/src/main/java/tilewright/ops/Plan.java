package tilewright.ops;

import java.util.List;
import java.util.Map;
import tilewright.kernel.PreparedLaunch;

/**
 * Launches of one operator, one after the other.
 *
 * @param zeros bytes of buffers that are zeros before the first launch, and again after the last one
 */
record Plan(List<PreparedLaunch> launches, Map<String, Long> zeros) {
  Plan {
    launches = List.copyOf(launches);
    zeros = Map.copyOf(zeros);
  }

  static Plan of(PreparedLaunch... launches) {
    return new Plan(List.of(launches), Map.of());
  }
}
