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
 * An operator on the rows of X (M,N) with the result Y (M,N), whose kernels are each for one length of a row. Numbers
 * are M, N and the strides X_s and Y_s from row to row.
 *
 * @param name of the operator and of the catalogue's family
 * @param vectors names of the tensors (N) that all rows share
 * @param scalars names of FP32 numbers that the launch gives
 * @param lengths of rows that there are kernels for, ascending
 */
record RowOperator(String name, List<String> vectors, List<String> scalars, List<Long> lengths)
    implements PackagedOperator {
  /** Row lengths of common models, and of their heads. */
  static final List<Long> COMMON = List.of(64L, 128L, 256L, 512L, 768L, 1024L, 1280L, 1536L, 2048L, 2560L, 3072L,
      3584L, 4096L, 5120L, 6144L, 7168L, 8192L, 10240L, 12288L, 14336L, 16384L);
  /** The longest row: longer ones are streamed, by kernels with scratch memory. */
  static final long LONGEST = 1 << 16;
  private static final int MOST_ROWS = 1 << 16;
  /** Elements that strides are multiples of: an access moves up to 16 bytes. */
  private static final int VECTOR = 8;
  private static final int MOST_GAP = 1 << 12;
  /** Any number: Python gives its own. */
  private static final float NUMBER = 1e-5f;

  RowOperator {
    vectors = List.copyOf(vectors);
    scalars = List.copyOf(scalars);
    lengths = List.copyOf(lengths);
  }

  /** The operators with kernels for rows of these lengths. */
  static Stream<PackagedOperator> all(List<Long> lengths) {
    return Stream.of(new RowOperator("rms_norm", List.of("W"), List.of("epsilon"), lengths),
        new RowOperator("layer_norm", List.of("W", "B"), List.of("epsilon"), lengths),
        new RowOperator("softmax", List.of(), List.of(), lengths));
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var family = new CatalogueFamilies().kernels().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
    var axes = List.of(Axis.only("columns", Formula.of("N"), lengths));
    return Stream.of(ElementType.BF16, ElementType.F16, ElementType.F32).map(type ->
        new OperatorCase(type.text(), axes, List.of("M"), List.of(), List.of(), new Problem(this, family, type)));
  }

  /** Elements between rows. */
  static long gap(RandomGenerator random) {
    return (long) VECTOR * random.nextInt(MOST_GAP);
  }

  private record Problem(RowOperator operator, Family family, ElementType type) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var numbers = new HashMap<String, Long>();
      long columns = axes.get("columns");
      numbers.put("N", columns);
      numbers.put("M", 1L + random.nextInt(MOST_ROWS));
      for (var stride : List.of("X_s", "Y_s")) {
        numbers.put(stride, columns + gap(random));
      }
      return numbers;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      var choice = family.defaults().with(Map.of("m", n.get("M").toString(), "n", n.get("N").toString(), "dtype",
          type.text()));
      var launch = family.workload(choice).launch();
      var arguments = LaunchArguments.of(launch.kernel()).tensor("X", matrix(n, "X")).tensor("Y", matrix(n, "Y"));
      operator.vectors.forEach(v -> arguments.tensor(v, new Tensor(v, 0, List.of(n.get("N")), List.of(1L))));
      operator.scalars.forEach(scalar -> arguments.scalar(scalar, NUMBER));
      return LaunchSequence.of(new PreparedLaunch(launch.kernel(), launch.grid(), arguments.build()));
    }

    private static Tensor matrix(Map<String, Long> n, String name) {
      return new Tensor(name, 0, List.of(n.get("M"), n.get("N")), List.of(n.get(name + "_s"), 1L));
    }
  }
}
