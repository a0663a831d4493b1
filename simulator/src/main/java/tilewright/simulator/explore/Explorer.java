package tilewright.simulator.explore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.simulator.Exploration;
import tilewright.simulator.Exploration.Outcome;
import tilewright.simulator.ExplorationLimits;
import tilewright.simulator.Schedule;

/**
 * Runs a launch again and again, each time under a schedule that is not equivalent to an earlier one, until all are
 * known: source sets and sleep sets (Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction",
 * POPL 2014).
 */
public final class Explorer {
  /** Steps of one agent after which another one goes on: it may be waiting for that in its own way. */
  private static final int LONGEST_TURN = 256;
  private static final int MOST_STEPS = 100_000;

  /** How far a run went: to its end, to where all that follows is known, or to a limit. */
  private enum Way { WHOLE, KNOWN, CUT }

  private final Supplier<Run> launch;
  private final ExplorationLimits limits;
  private final long start;
  /** The choices of the run that was made last, and which agents are asleep behind them. */
  private final List<Choice> path = new ArrayList<>();
  private final Set<Integer> failed = new HashSet<>();
  private Optional<Run> first = Optional.empty();
  private long schedules;
  private long steps;
  private int longest;

  /**
   * An explorer of a launch.
   *
   * @param launch begins a new run from the launch's first state
   * @param start {@link System#nanoTime} when the limited time began
   */
  public Explorer(Supplier<Run> launch, ExplorationLimits limits, long start) {
    this.launch = launch;
    this.limits = limits;
    this.start = start;
  }

  /** The end of the exploration, and the run that it ended with. */
  public record End(Outcome outcome, String difference, Run last) {}

  /** Explores until something is found, all is known, or a limit is reached. */
  public End explore() {
    int known = 0;
    while (true) {
      var run = launch.get();
      var way = follow(run, known);
      schedules++;
      longest = Math.max(longest, path.size());
      if (run.failed()) return new End(Outcome.FOUND, "", run);
      if (way == Way.CUT) return new End(Outcome.LIMITED, "", run);
      if (way == Way.WHOLE) {
        var difference = first.map(run::difference).orElse("");
        if (!difference.isEmpty()) return new End(Outcome.DIFFERENT_RESULTS, difference, run);
        if (first.isEmpty()) first = Optional.of(run);
      }
      if (!back()) return new End(Outcome.PROVED, "", first.orElse(run));
      known = path.size() - 1;
      limits.progress().accept(new ExplorationLimits.Progress(schedules, steps, elapsed()));
      if (schedules >= limits.schedules() || elapsed().compareTo(limits.time()) > 0) {
        return new End(Outcome.LIMITED, "", run);
      }
    }
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Returns the result for an end. */
  public Exploration result(End end, List<tilewright.simulator.Finding> findings) {
    return new Exploration(end.outcome(), schedules, steps, longest, elapsed(), findings, end.difference(),
        new Schedule(path.stream().map(Choice::chosen).toList(), path.stream().map(c -> c.step().place()).toList()));
  }

  /** Makes the run of the path and goes on from there. Races become wishes for choices. */
  private Way follow(Run run, int known) {
    var order = new HappensBefore(failed);
    Map<String, Footprint> asleep = new HashMap<>();
    var last = "";
    int turn = 0;
    for (int depth = 0; depth < MOST_STEPS; depth++) {
      if (depth == path.size()) {
        var enabled = run.enabled();
        if (run.failed() || enabled.isEmpty()) return Way.WHOLE;
        var choice = Choice.of(enabled, asleep, last, turn < LONGEST_TURN);
        if (choice.isEmpty()) return Way.KNOWN;
        if (elapsed().compareTo(limits.time()) > 0) return Way.CUT;
        path.add(choice.get());
      } else {
        run.enabled();
      }
      var choice = path.get(depth);
      turn = choice.chosen().equals(last) ? turn + 1 : 0;
      last = choice.chosen();
      var step = run.step(last);
      steps++;
      choice.taken(step);
      var races = order.add(last, step);
      if (depth >= known) for (var race : races) path.get(race.first()).want(order.initials(race));
      asleep = choice.stillAsleep();
      if (run.failed()) {
        path.subList(depth + 1, path.size()).clear();
        return Way.WHOLE;
      }
    }
    return Way.CUT;
  }

  /** Goes back to the last choice where something is left to try; returns whether there is one. */
  private boolean back() {
    while (!path.isEmpty()) {
      if (path.getLast().next()) return true;
      path.removeLast();
    }
    return false;
  }
}
