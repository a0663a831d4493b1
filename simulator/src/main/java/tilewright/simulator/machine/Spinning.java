package tilewright.simulator.machine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.Warp;
import tilewright.simulator.explore.Action;
import tilewright.simulator.explore.Footprint;

/**
 * Warps that ask for the same thing again and again. Asking twice while nothing has changed is as good as asking once,
 * so that schedules need not let them; without this no schedule of a spinning loop would end.
 */
final class Spinning {
  /** The accesses of a step that a warp may repeat, and the places where its lanes go on. */
  private record Question(Footprint footprint, List<Lanes> lanes) {}

  private record Lanes(int mask, int block, LaneGroup.State state) {}

  private final Map<String, Question> asked = new HashMap<>();
  private final Map<String, Set<SyncObject>> waiting = new HashMap<>();

  boolean contains(String agent) {
    return waiting.containsKey(agent);
  }

  void clear() {
    waiting.clear();
    asked.clear();
  }

  /**
   * An agent has taken a step.
   *
   * @param begin the block at which it began
   */
  void step(String agent, Warp w, int begin, Footprint footprint) {
    var changed = footprint.actions().stream().filter(Spinning::changes).map(Action::object)
        .collect(Collectors.toSet());
    if (!changed.isEmpty()) {
      waiting.values().removeIf(objects -> objects.stream().anyMatch(changed::contains));
      asked.values().removeIf(q -> q.footprint.actions().stream().anyMatch(a -> changed.contains(a.object())));
    }
    boolean asks = w != null && !footprint.actions().isEmpty()
        && footprint.actions().stream().allMatch(a -> a.use() == Use.POLL || a.use() == Use.READ);
    if (!asks) {
      asked.remove(agent);
      return;
    }
    var lanes = w.groups.stream().map(g -> new Lanes(g.mask, g.block, g.state)).toList();
    var question = new Question(footprint, lanes);
    boolean again = question.equals(asked.put(agent, question));
    if (again || lanes.size() == 1 && lanes.getFirst().block == begin) {
      waiting.put(agent, footprint.actions().stream().map(Action::object).collect(Collectors.toSet()));
    } else if (lanes.size() > 1) {
      WarpRunner.yield(w);
    }
  }

  private static boolean changes(Action a) {
    return a.use() == Use.WRITE || a.use() == Use.ADD || a.completes();
  }
}
