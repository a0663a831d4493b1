package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernels.choice.Formula;

/** Formulas as one list of steps, in which what several need is there once. */
final class FormulaProgram {
  private final List<Object> steps = new ArrayList<>();
  private final Map<Object, Integer> places = new HashMap<>();
  private final Map<Formula, Integer> seen = new IdentityHashMap<>();

  /** The place of a formula's number among the steps. */
  int place(Formula formula) {
    var known = seen.get(formula);
    if (known != null) return known;
    int place = switch (formula) {
      case Formula.Constant _, Formula.Variable _ -> step(formula.json());
      case Formula.Operation(var operator, var left, var right) ->
          step(List.of(operator.text(), place(left), place(right)));
      case Formula.Choice(var number, var limit, var then, var otherwise) ->
          step(List.of("upto", place(number), place(limit), place(then), place(otherwise)));
      case Formula.Fewest _ -> throw new IllegalArgumentException("a search is no step: " + formula.json());
    };
    seen.put(formula, place);
    return place;
  }

  private int step(Object step) {
    return places.computeIfAbsent(step, _ -> {
      steps.add(step);
      return steps.size() - 1;
    });
  }

  /** The form in JSON: numbers, names, and lists of an operation and the places of its operands. */
  List<Object> json() {
    return List.copyOf(steps);
  }
}
