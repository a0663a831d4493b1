package tilewright.simulator.explore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.simulator.Exploration.Outcome;
import tilewright.simulator.ExplorationLimits;
import tilewright.simulator.explore.ModelProgram.ModelRun;

/** Exploring the schedules that are not equivalent finds all ends that any interleaving of a small program has. */
class ExplorerTest {
  private static final int PROGRAMS = 300;

  /** The ends of all interleavings, one by one. */
  private static Set<String> ends(ModelProgram program, List<String> prefix) {
    var run = program.new ModelRun();
    for (var agent : prefix) run.step(agent);
    var enabled = run.enabled();
    if (enabled.isEmpty()) return Set.of(run.state());
    var ends = new TreeSet<String>();
    for (var agent : enabled) {
      var longer = new ArrayList<>(prefix);
      longer.add(agent);
      ends.addAll(ends(program, longer));
    }
    return ends;
  }

  @Test
  void everyEndOfEveryInterleavingIsFound() {
    var random = new SplittableRandom(1);
    long schedules = 0;
    long ends = 0;
    for (int i = 0; i < PROGRAMS; i++) {
      var program = ModelProgram.random(random);
      var runs = new ArrayList<ModelRun>();
      var explorer = new Explorer(() -> {
        runs.add(program.new ModelRun());
        return runs.getLast();
      }, ExplorationLimits.of(100_000, Duration.ofMinutes(1)), System.nanoTime());
      assertEquals(Outcome.PROVED, explorer.explore().outcome());
      var found = runs.stream().filter(r -> r.enabled().isEmpty()).map(ModelRun::state).collect(Collectors.toSet());
      var all = ends(program, List.of());
      // The exploration of a launch is over when it has found a deadlock.
      if (all.contains(ModelProgram.STUCK)) {
        assertTrue(found.contains(ModelProgram.STUCK), program.toString());
      } else {
        assertEquals(all, new TreeSet<>(found), program.toString());
      }
      schedules += runs.size();
      ends += all.size();
    }
    // Few schedules are tried in vain.
    assertTrue(schedules < 4 * ends, schedules + " schedules for " + ends + " ends");
  }
}
