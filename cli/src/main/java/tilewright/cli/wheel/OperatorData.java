package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;

/** Finds the data of one case of an operator: which launches there are, their formulas, and the choice among them. */
final class OperatorData {
  /** Points of each sequence of launches that are kept, from all where they are chosen. */
  private static final int POINTS = 256;
  /** Problems that are drawn around these points, most of which have the same launches: formulas hold for them. */
  private static final int DRAWN = 1024;
  /** Problems that are drawn for one that is at a point itself. */
  private static final int AT_POINT = 4;
  /** Lengths below which grids are not yet as large as the GPU, with few heads. */
  private static final int SHORT = 2048;
  /** Strides along fewer elements are not walked, and tensor maps have others in their place. */
  private static final int LEAST_EXTENT = 2;

  private final OperatorCase operator;
  private final PackagedKernels kernels = new PackagedKernels();
  private final RandomGenerator random = new Random(1);
  /** The launches that were found, by the numbers of their kernels. */
  private final Map<List<Integer>, Integer> found = new HashMap<>();
  private final List<Samples> samples = new ArrayList<>();
  /** The launches whose formulas are looked for. */
  private Samples fitted;

  private OperatorData(OperatorCase operator) {
    this.operator = operator;
  }

  /** The problems of launches of the same kernels, and points that are kept of those where they are chosen. */
  private final class Samples {
    private final List<Map<String, Long>> points = new ArrayList<>();
    private final List<Map<String, Long>> numbers = new ArrayList<>();
    private final List<LaunchSequence> sequences = new ArrayList<>();
    private int seen;

    void add(Map<String, Long> point, Map<String, Long> problem, LaunchSequence sequence) {
      int place = seen < POINTS ? seen : random.nextInt(seen + 1);
      seen++;
      if (place == points.size()) points.add(point);
      else if (place < POINTS) points.set(place, point);
      // The tree asks for millions of problems.
      if (this != fitted || operator.extents().stream().anyMatch(extent -> problem.get(extent) < LEAST_EXTENT)) return;
      numbers.add(problem);
      sequences.add(sequence);
    }
  }

  /** The data in JSON, but for the kernels, which {@link PackagedKernels#numbered} gives their numbers. */
  static Map<String, Object> of(OperatorCase operator) {
    return operator.candidates().isEmpty() ? new OperatorData(operator).json() : new CandidateData(operator).json();
  }

  private Map<String, Object> json() {
    var tree = DecisionTree.of(operator.axes(), point -> choice(point).orElse(-1));
    var axes = operator.axes().stream().map(axis -> axis.step() == Long.MAX_VALUE
        ? List.of(axis.name(), axis.formula().json(), axis.values())
        : List.of(axis.name(), axis.formula().json())).toList();
    var launches = samples.stream().map(this::template).toList();
    var json = Map.<String, Object>of("axes", axes, "choice", tree.json(), "launches", launches);
    if (operator.derived().isEmpty()) return json;
    var all = new TreeMap<>(json);
    all.put("derived", operator.derived().stream().map(d -> List.of(d.name(), d.formula().json())).toList());
    return all;
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
    boolean isShort = random.nextBoolean();
    for (var axis : operator.axes()) {
      long value = point.get(axis.name());
      if (axis.step() > 1) continue;
      other.put(axis.name(), isShort ? 1 + random.nextLong(SHORT) : 1 + value / 2 + random.nextLong(value));
    }
    return other;
  }

  private Map<String, Object> template(Samples of) {
    fitted = of;
    for (int i = 0; i < DRAWN; i++) {
      var point = of.points.get(random.nextInt(of.points.size()));
      choice(i % AT_POINT == 0 ? point : near(point));
    }
    var fit = new FormulaFit(of.numbers, operator.extents(), operator.slots(), operator.guesses());
    return new LaunchTemplate(operator.key(), fit, of.sequences).json();
  }
}
