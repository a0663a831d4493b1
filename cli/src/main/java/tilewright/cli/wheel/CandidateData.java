package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;

/**
 * Finds the data of a case whose launches are chosen by their cost: what each candidate costs, and the launches of
 * those that are chosen for some of many problems. The rest are left out, so that their kernels do not fill the
 * package.
 */
final class CandidateData {
  /** Problems that are drawn to see what is chosen. */
  private static final int DRAWN = 4000;
  /** Problems that formulas of a candidate have to hold for, and those that are drawn at most to find them. */
  private static final int SAMPLES = 200;
  private static final int MOST_DRAWN = 4000;
  private static final int LEAST_EXTENT = 2;

  private final OperatorCase operator;
  private final PackagedKernels kernels = new PackagedKernels();
  private final RandomGenerator random = new Random(1);

  CandidateData(OperatorCase operator) {
    this.operator = operator;
  }

  /** A candidate for problems of a form. */
  private record Chosen(OperatorCase.Candidate candidate, int form) {}

  Map<String, Object> json() {
    var points = chosen();
    var program = new FormulaProgram();
    var launches = new ArrayList<Map<String, Object>>();
    var candidates = new LinkedHashMap<OperatorCase.Candidate, Map<Integer, Integer>>();
    for (var candidate : operator.candidates()) {
      points.keySet().stream().filter(chosen -> chosen.candidate == candidate).sorted((a, b) -> a.form - b.form)
          .forEach(chosen -> {
            candidates.computeIfAbsent(candidate, _ -> new TreeMap<>()).put(chosen.form, launches.size());
            launches.add(template(chosen, points.get(chosen)));
          });
    }
    var entries = candidates.entrySet().stream().map(entry -> List.of(program.place(entry.getKey().cost()),
        program.place(entry.getKey().form()), forms(entry.getValue()))).toList();
    return Map.of("axes", List.of(), "choice", Map.of("steps", program.json(), "candidates", entries), "launches",
        launches);
  }

  private static List<List<Integer>> forms(Map<Integer, Integer> launches) {
    return launches.entrySet().stream().map(e -> List.of(e.getKey(), e.getValue())).toList();
  }

  /** Candidates that are chosen, each with problems that Java prepares the same launches for. */
  private Map<Chosen, List<Map<String, Long>>> chosen() {
    var points = new HashMap<Chosen, List<Map<String, Long>>>();
    for (int i = 0; i < DRAWN; i++) {
      var numbers = operator.problem().draw(Map.of(), random);
      var best = operator.candidates().getFirst();
      double least = Double.POSITIVE_INFINITY;
      for (var candidate : operator.candidates()) {
        double cost = candidate.cost().at(numbers);
        if (cost < least) {
          best = candidate;
          least = cost;
        }
      }
      var chosen = new Chosen(best, (int) best.form().at(numbers));
      points.computeIfAbsent(chosen, _ -> new ArrayList<>()).add(numbers);
    }
    points.forEach(this::check);
    return points;
  }

  private void check(Chosen chosen, List<Map<String, Long>> points) {
    var numbers = points.getFirst();
    if (!kernels(operator.problem().prepare(numbers)).equals(kernels(chosen.candidate.launches().apply(numbers)))) {
      throw new IllegalStateException(operator.key() + " of " + numbers + " is not what " + chosen.candidate.name()
          + " is, which has the least cost");
    }
  }

  private List<Integer> kernels(LaunchSequence sequence) {
    return sequence.launches().stream().map(PreparedLaunch::kernel).map(kernels::number).toList();
  }

  /** The launches for all problems of a form: where few are drawn, those that it was chosen for. */
  private Map<String, Object> template(Chosen chosen, List<Map<String, Long>> points) {
    var numbers = new ArrayList<>(points.subList(0, Math.min(points.size(), SAMPLES)));
    for (int i = 0; i < MOST_DRAWN && numbers.size() < 2 * SAMPLES; i++) {
      var drawn = operator.problem().draw(Map.of(), random);
      if ((int) chosen.candidate.form().at(drawn) == chosen.form) numbers.add(drawn);
    }
    // Strides along fewer elements are not walked, and tensor maps have others in their place.
    numbers.removeIf(n -> operator.extents().stream().anyMatch(e -> n.get(e) < LEAST_EXTENT));
    var sequences = numbers.stream().map(chosen.candidate.launches()).toList();
    var fit = new FormulaFit(numbers, operator.extents(), operator.slots(),
        List.of(_ -> chosen.candidate.blocks()));
    return new LaunchTemplate(operator.key() + " in " + chosen.candidate.name(), fit, sequences).json();
  }
}
