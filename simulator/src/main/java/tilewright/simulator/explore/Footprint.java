package tilewright.simulator.explore;

import java.util.List;

/**
 * All that a step did which other steps may heed.
 *
 * @param stuck whether it came to wait for something that actions do not tell, so that any step may let it go on
 */
public record Footprint(List<Action> actions, boolean stuck) {
  public Footprint {
    actions = List.copyOf(actions);
  }

  /** Whether the step, put off until behind the other, might differ. */
  boolean heeds(Footprint done) {
    return stuck || actions.stream().anyMatch(a -> done.actions.stream().anyMatch(a::heeds));
  }
}
