package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.choice.FormulaBatches;

/** The costs of a case's candidates, as Python computes them. */
final class CandidateCosts {
  private final OperatorCase operator;
  private final List<String> names;
  private final FormulaBatches formulas;

  CandidateCosts(OperatorCase operator) {
    this.operator = operator;
    names = List.copyOf(operator.problem().draw(Map.of(), new Random(0)).keySet());
    var all = new ArrayList<Formula>();
    for (var candidate : operator.candidates()) {
      all.add(candidate.cost());
      all.addAll(candidate.features());
    }
    formulas = new FormulaBatches(names, all);
  }

  /** The candidate with the least cost: of equal ones the first. */
  OperatorCase.Candidate cheapest(Map<String, Long> numbers) {
    var values = formulas.values(names.stream().mapToDouble(numbers::get).toArray());
    var best = operator.candidates().getFirst();
    double least = Double.POSITIVE_INFINITY;
    int at = 0;
    for (var candidate : operator.candidates()) {
      int end = at + 1 + candidate.features().size();
      double cost = values[at] * factor(candidate, Arrays.copyOfRange(values, at + 1, end));
      at = end;
      if (cost < least) {
        best = candidate;
        least = cost;
      }
    }
    return best;
  }

  private double factor(OperatorCase.Candidate candidate, double[] features) {
    return candidate.features().isEmpty() ? 1 : operator.correction().orElseThrow().factor(features);
  }
}
