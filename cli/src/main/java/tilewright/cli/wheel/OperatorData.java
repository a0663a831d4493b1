package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;

/** Finds the data of one case of an operator: which launches there are, their formulas, and the choice among them. */
final class OperatorData {
  /** Samples of each sequence of launches, from all points where they are chosen: formulas hold for all of them. */
  private static final int SAMPLES = 512;
  /** Problems that are drawn around those that found some launches: most of them have the same. */
  private static final int DRAWN = 3 * SAMPLES;
  /** Strides along fewer elements are not walked, and tensor maps have others in their place. */
  private static final int LEAST_EXTENT = 2;

  private final OperatorCase operator;
  private final PackagedKernels kernels;
  private final RandomGenerator random = new Random(1);
  /** The launches that were found, by the numbers of their kernels. */
  private final Map<List<Integer>, Integer> found = new HashMap<>();
  private final List<Samples> samples = new ArrayList<>();

  private OperatorData(OperatorCase operator, PackagedKernels kernels) {
    this.operator = operator;
    this.kernels = kernels;
  }

  /** Problems of launches of the same kernels: of all that are added, each has the same chance to be kept. */
  private final class Samples {
    private final List<Map<String, Long>> axes = new ArrayList<>();
    private final List<Map<String, Long>> numbers = new ArrayList<>();
    private final List<LaunchSequence> sequences = new ArrayList<>();
    private int points;
    private int problems;

    void add(Map<String, Long> point, Map<String, Long> problem, LaunchSequence sequence) {
      int place = place(points++);
      if (place < SAMPLES) put(axes, place, point);
      if (operator.extents().stream().anyMatch(extent -> problem.get(extent) < LEAST_EXTENT)) return;
      place = place(problems++);
      if (place >= SAMPLES) return;
      put(numbers, place, problem);
      put(sequences, place, sequence);
    }

    private int place(int before) {
      return before < SAMPLES ? before : random.nextInt(before + 1);
    }

    private static <E> void put(List<E> list, int place, E element) {
      if (place == list.size()) list.add(element);
      else list.set(place, element);
    }
  }

  /** The data in JSON. */
  static Map<String, Object> of(OperatorCase operator, PackagedKernels kernels) {
    return new OperatorData(operator, kernels).json();
  }

  private Map<String, Object> json() {
    var tree = DecisionTree.of(operator.axes(), point -> choice(point).orElse(-1));
    var axes = operator.axes().stream().map(axis -> axis.step() == Long.MAX_VALUE
        ? List.of(axis.name(), axis.formula().json(), axis.values())
        : List.of(axis.name(), axis.formula().json())).toList();
    var launches = samples.stream().map(this::template).toList();
    return Map.of("axes", axes, "choice", tree.json(), "launches", launches);
  }

  /** The number of the launches of a problem with these numbers on the axes. */
  private Optional<Integer> choice(Map<String, Long> point) {
    var numbers = operator.problem().draw(point, random);
    try {
      var sequence = operator.problem().prepare(numbers);
      var key = sequence.launches().stream().map(PreparedLaunch::kernel).map(kernels::number).toList();
      int number = found.computeIfAbsent(key, _ -> {
        samples.add(new Samples());
        return samples.size() - 1;
      });
      samples.get(number).add(point, numbers, sequence);
      return Optional.of(number);
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** A point between those that the tree is found from: numbers of these, such as powers of two, fit many tiles. */
  private Map<String, Long> near(Map<String, Long> point) {
    var other = new HashMap<>(point);
    for (var axis : operator.axes()) {
      long value = point.get(axis.name());
      if (axis.step() == 1) other.put(axis.name(), 1 + value / 2 + random.nextLong(value));
    }
    return other;
  }

  private Map<String, Object> template(Samples of) {
    for (int i = 0; i < DRAWN; i++) choice(near(of.axes.get(random.nextInt(of.axes.size()))));
    var fit = new FormulaFit(of.numbers, operator.extents(), operator.slots(), operator.guesses());
    return new LaunchTemplate(operator.key(), fit, of.sequences)
        .json(launch -> kernels.number(launch.kernel()));
  }
}
