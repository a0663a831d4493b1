package tilewright.simulator.explore;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A point on the path of a run where one of several agents takes a step. */
final class Choice {
  private final List<String> enabled;
  /** Agents whose steps from here on were explored elsewhere, with those steps. */
  private final Map<String, Footprint> asleep;
  /** Agents that must be tried here, including those that were. */
  private final Set<String> wanted = new LinkedHashSet<>();
  private String chosen;
  private Run.Step step;

  private Choice(List<String> enabled, Map<String, Footprint> asleep, String chosen) {
    this.enabled = enabled;
    this.asleep = asleep;
    this.chosen = chosen;
    wanted.add(chosen);
  }

  /**
   * Makes a choice that was not made before; empty if all runs from here on are known.
   *
   * @param last the agent that took the step before
   * @param goesOn whether it takes the next one too, if it can; otherwise the agent behind it does
   */
  static Optional<Choice> of(List<String> enabled, Map<String, Footprint> asleep, String last, boolean goesOn) {
    var awake = enabled.stream().filter(a -> !asleep.containsKey(a)).toList();
    if (awake.isEmpty()) return Optional.empty();
    int at = awake.indexOf(last);
    return Optional.of(new Choice(enabled, asleep, awake.get(at < 0 ? 0 : goesOn ? at : (at + 1) % awake.size())));
  }

  String chosen() {
    return chosen;
  }

  Run.Step step() {
    return step;
  }

  void taken(Run.Step taken) {
    step = taken;
  }

  /** The agents asleep behind the step: those whose own steps do not heed it. */
  Map<String, Footprint> stillAsleep() {
    var rest = new HashMap<>(asleep);
    rest.remove(chosen);
    rest.values().removeIf(f -> f.heeds(step.footprint()));
    return rest;
  }

  /** Asks that one of the agents be tried here, unless one of them is; none of them being enabled, all agents. */
  void want(List<String> agents) {
    if (agents.stream().anyMatch(wanted::contains)) return;
    var possible = agents.stream().filter(enabled::contains).findFirst();
    possible.ifPresentOrElse(wanted::add, () -> wanted.addAll(enabled));
  }

  /** Chooses another agent that must be tried; returns whether there was one. */
  boolean next() {
    asleep.put(chosen, step.footprint());
    for (var agent : wanted) {
      if (asleep.containsKey(agent)) continue;
      chosen = agent;
      return true;
    }
    return false;
  }
}
