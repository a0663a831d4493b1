package tilewright.verification;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tilewright.verification.cases.Case;

/**
 * The cases of a quick run: those that a fixed budget of estimated CPU time pays for ({@link Case#price}). All kernels
 * share the budget, so a further kernel leaves less to the others and makes the run no longer. No clock is involved:
 * the choice is the same on every machine.
 */
final class QuickCases {
  /** Milliseconds of one core for cases that the simulator runs; with compiling Java about twice that. */
  static final long SIMULATED = 30_000;
  /** Cases that only a GPU runs; their references take about a quarter of the price, which includes a simulation. */
  static final long GPU_ONLY = 64_000;

  private QuickCases() {}

  /** Returns the places of the chosen cases, in their order. */
  static List<Integer> of(List<Case> cases) {
    var chosen = new TreeSet<Integer>();
    for (boolean simulated : new boolean[] {true, false}) {
      var places = IntStream.range(0, cases.size()).filter(i -> isSimulated(cases.get(i)) == simulated).boxed().toList();
      chosen.addAll(affordable(cases, places, simulated ? SIMULATED : GPU_ONLY));
    }
    return List.copyOf(chosen);
  }

  static boolean isSimulated(Case c) {
    return c.backends().contains("sim");
  }

  /** The first case of each kernel, then one more of each in turn, as far as the budget goes. */
  private static List<Integer> affordable(List<Case> cases, List<Integer> places, long budget) {
    var chosen = new ArrayList<Integer>();
    var pending = places.stream().collect(Collectors.groupingBy(place -> cases.get(place).kernel(), LinkedHashMap::new,
        Collectors.toCollection(ArrayDeque::new)));
    long left = budget;
    for (boolean first = true; !pending.isEmpty(); first = false) {
      for (var kernel : pending.values()) {
        int place = kernel.removeFirst();
        long price = cases.get(place).price();
        if (!first && price > left) continue;
        chosen.add(place);
        left -= price;
      }
      pending.values().removeIf(ArrayDeque::isEmpty);
    }
    return chosen;
  }
}
