package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.choice.FormulaProgram;

/**
 * Finds the data of a case whose launches are chosen by their cost: what each candidate costs, and the launches of
 * those that are chosen for some of many problems. The rest are left out, so that their kernels do not fill the
 * package.
 */
final class CandidateData {
  /** Problems that are drawn to see what is chosen, at least and at most. */
  private static final int LEAST_DRAWN = 4000;
  private static final int MOST_CHOICES = 32_000;
  /** Problems of which one, or less, may have launches that are not in the data. */
  private static final int SELDOM = 200;
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

  /** The launches for problems of a form. */
  private record Chosen(String name, int form) {}

  /** A candidate and the places of its launches by their forms. */
  private record Entry(OperatorCase.Candidate candidate, Map<Integer, Integer> launches) {}

  Map<String, Object> json() {
    var points = chosen();
    var launches = new ArrayList<Map<String, Object>>();
    var places = new HashMap<String, Map<Integer, Integer>>();
    for (var candidate : operator.candidates()) {
      if (places.containsKey(candidate.name())) continue;
      points.keySet().stream().filter(chosen -> chosen.name.equals(candidate.name())).sorted((a, b) -> a.form - b.form)
          .forEach(chosen -> {
            places.computeIfAbsent(candidate.name(), _ -> new TreeMap<>()).put(chosen.form, launches.size());
            launches.add(template(candidate, chosen.form, points.get(chosen)));
          });
    }
    var entries = operator.candidates().stream().filter(candidate -> places.containsKey(candidate.name()))
        .map(candidate -> new Entry(candidate, places.get(candidate.name()))).toList();
    return Map.of("axes", List.of(), "choice", choice(entries), "launches", launches);
  }

  /** Python computes all costs, and then the features of the candidates that it needs: they are the last steps. */
  private Map<String, Object> choice(List<Entry> entries) {
    var program = new FormulaProgram();
    entries.forEach(entry -> {
      program.place(entry.candidate.cost());
      program.place(entry.candidate.form());
    });
    int first = program.json().size();
    var candidates = entries.stream().map(entry -> List.of(program.place(entry.candidate.cost()),
        program.place(entry.candidate.form()), forms(entry.launches),
        entry.candidate.features().stream().map(program::place).toList())).toList();
    var choice = new HashMap<String, Object>(Map.of("steps", program.json(), "first", first, "candidates",
        candidates));
    if (entries.stream().anyMatch(entry -> !entry.candidate.features().isEmpty())) {
      operator.correction().ifPresent(correction -> choice.put("correction", correction.name()));
    }
    return choice;
  }

  private static List<List<Integer>> forms(Map<Integer, Integer> launches) {
    return launches.entrySet().stream().map(e -> List.of(e.getKey(), e.getValue())).toList();
  }

  /**
   * Candidates that are chosen, each with problems that Java prepares the same launches for. Of the problems that are
   * not drawn, as many have other launches as have launches of their own among those that are drawn (Good, 1953).
   */
  private Map<Chosen, List<Map<String, Long>>> chosen() {
    var costs = new CandidateCosts(operator);
    var points = new HashMap<Chosen, List<Map<String, Long>>>();
    for (int i = 0; i < LEAST_DRAWN || i < MOST_CHOICES && SELDOM * alone(points.values()) > i; i++) {
      var numbers = operator.problem().draw(Map.of(), random);
      var best = costs.cheapest(numbers);
      var chosen = new Chosen(best.name(), (int) best.form().at(numbers));
      if (!points.containsKey(chosen)) check(best, numbers);
      points.computeIfAbsent(chosen, _ -> new ArrayList<>()).add(numbers);
    }
    return points;
  }

  private static long alone(Collection<List<Map<String, Long>>> problems) {
    return problems.stream().filter(same -> same.size() == 1).count();
  }

  private void check(OperatorCase.Candidate chosen, Map<String, Long> numbers) {
    if (!kernels(operator.problem().prepare(numbers)).equals(kernels(chosen.launches().apply(numbers)))) {
      throw new IllegalStateException(operator.key() + " of " + numbers + " is not what " + chosen.name()
          + " is, which has the least cost");
    }
  }

  private List<Integer> kernels(LaunchSequence sequence) {
    return sequence.launches().stream().map(PreparedLaunch::kernel).map(kernels::number).toList();
  }

  /** The launches for all problems of a form: where few are drawn, those that it was chosen for. */
  private Map<String, Object> template(OperatorCase.Candidate candidate, int form, List<Map<String, Long>> points) {
    var numbers = new ArrayList<>(points.subList(0, Math.min(points.size(), SAMPLES)));
    for (int i = 0; i < MOST_DRAWN && numbers.size() < 2 * SAMPLES; i++) {
      var drawn = operator.problem().draw(Map.of(), random);
      if ((int) candidate.form().at(drawn) == form) numbers.add(drawn);
    }
    // Strides along fewer elements are not walked, and tensor maps have others in their place.
    numbers.removeIf(n -> operator.extents().stream().anyMatch(e -> n.get(e) < LEAST_EXTENT));
    var sequences = numbers.stream().map(candidate.launches()).toList();
    if (sequences.stream().map(this::kernels).distinct().count() > 1) {
      throw new IllegalStateException(operator.key() + " in " + candidate.name()
          + " has several kernels for problems of form " + form);
    }
    var fit = new FormulaFit(numbers, operator.extents(), operator.slots(),
        List.of(_ -> candidate.blocks()));
    return new LaunchTemplate(operator.key() + " in " + candidate.name(), fit, sequences).json();
  }
}
