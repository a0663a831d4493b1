package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.LaunchArguments.Tensor;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.catalogue.CatalogueFamilies;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.registry.Family;
import tilewright.numerics.ElementType;

/**
 * The rows of a table W (V,N) at indices I (M), with the result Y (M,N), by kernels that are each for one N. Numbers
 * are M, N, V, and the strides I_s, W_s and Y_s from row to row.
 *
 * @param lengths of rows that there are kernels for, ascending
 */
record EmbeddingOperator(List<Long> lengths) implements PackagedOperator {
  private static final int MOST_ROWS = 1 << 16;
  /** Indices of 64 bits are two words each. */
  private static final int WORDS = 2;
  private static final int WIDEST_BYTES = 16;
  private static final int WORD_BYTES = 4;

  EmbeddingOperator {
    lengths = List.copyOf(lengths);
  }

  @Override
  public String name() {
    return "embedding";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var family = new CatalogueFamilies().kernels().filter(f -> f.name().equals("embedding")).findFirst().orElseThrow();
    var axes = List.of(Axis.only("columns", Formula.of("N"), lengths));
    return Stream.of(ElementType.BF16, ElementType.F16, ElementType.F32).map(type ->
        new OperatorCase(type.text(), axes, List.of("M"), List.of(), List.of(), new Problem(family, type)));
  }

  private record Problem(Family family, ElementType type) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var numbers = new HashMap<String, Long>();
      long columns = axes.get("columns");
      numbers.put("N", columns);
      numbers.put("M", 1L + random.nextInt(MOST_ROWS));
      numbers.put("V", 1L + random.nextInt(MOST_ROWS));
      numbers.put("I_s", 1L + random.nextInt(WORDS));
      for (var stride : List.of("W_s", "Y_s")) numbers.put(stride, columns + RowOperator.gap(random));
      return numbers;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      var launch = family.workload(family.defaults().with(Map.of("m", n.get("M").toString(), "v",
          n.get("V").toString(), "n", n.get("N").toString(), "dtype", type.text(), "vec",
          Integer.toString(access(n.get("N")))))).launch();
      var arguments = LaunchArguments.of(launch.kernel())
          .tensor("I", new Tensor("I", 0, List.of(n.get("M")), List.of(n.get("I_s"))))
          .tensor("W", matrix(n, "W", "V")).tensor("Y", matrix(n, "Y", "M"));
      return LaunchSequence.of(new PreparedLaunch(launch.kernel(), launch.grid(), arguments.build()));
    }

    /** The bytes of an access, of which a row has a whole number; 1 is one element. */
    private int access(long columns) {
      long bytes = columns * type.bytes();
      if (bytes % WIDEST_BYTES == 0) return WIDEST_BYTES;
      return type.bytes() < WORD_BYTES && bytes % WORD_BYTES == 0 ? WORD_BYTES : 1;
    }

    private static Tensor matrix(Map<String, Long> n, String name, String rows) {
      return new Tensor(name, 0, List.of(n.get(rows), n.get("N")), List.of(n.get(name + "_s"), 1L));
    }
  }
}
