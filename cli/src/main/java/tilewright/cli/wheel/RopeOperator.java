package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
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
import tilewright.ptx.Dim3;

/**
 * Rotary position embedding of X (S,H,D) with the result Y (S,H,D), by angles of which C and T (S,D/2) are cosine and
 * sine; pairs are half a head apart. Numbers are S, H, D, the strides of X and Y along S and H, and those of C and T
 * along S. A kernel is for one D, and for heads up to a number; more heads are several tiles.
 */
final class RopeOperator implements PackagedOperator {
  /** Head dimensions of common models, and their rotated parts. */
  static final List<Long> DIMS = List.of(32L, 64L, 80L, 96L, 128L, 192L, 256L);
  /** Heads of a tile: a launch with other numbers of heads has idle threads. */
  private static final List<Long> HEADS = List.of(2L, 4L, 8L, 16L, 24L, 32L, 40L, 48L, 64L);
  private static final long MOST_HEADS = HEADS.getLast();
  /** Tokens from which a tile does not depend on them; fewer are computed by a tile that is not full. */
  private static final int LEAST_TOKENS = 1 << 10;
  private static final int MOST_TOKENS = 1 << 16;

  @Override
  public String name() {
    return "rope";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var family = new CatalogueFamilies().kernels().filter(f -> f.name().equals("rope")).findFirst().orElseThrow();
    // One head is asked for, too, as the kernel of two would know only these.
    var heads = Stream.concat(Stream.of(1L), HEADS.stream()).toList();
    var axes = List.of(Axis.only("dim", Formula.of("D"), DIMS), new Axis("heads", Formula.of("H"), 1, heads));
    return Stream.of(ElementType.BF16, ElementType.F16, ElementType.F32).map(type -> new OperatorCase(type.text(),
        axes, List.of("S"), List.of(), guesses(family, type), new Problem(family, type)));
  }

  /** Grids of tiles with the tokens that kernels have, in one row of tiles for each {@link #MOST_HEADS}. */
  private static List<LongFunction<Formula>> guesses(Family family, ElementType type) {
    return DIMS.stream().flatMap(dim -> HEADS.stream().map(heads -> tokens(family, type, dim, heads))).distinct()
        .<LongFunction<Formula>>map(tokens -> _ -> Formula.of("S").ceilDiv(tokens)
            .times(Formula.of("H").ceilDiv(MOST_HEADS))).toList();
  }

  /** The tokens of a tile, of which there are at most {@link #LEAST_TOKENS}: then their square tells. */
  private static long tokens(Family family, ElementType type, long dim, long heads) {
    long all = (long) LEAST_TOKENS * LEAST_TOKENS;
    return Math.ceilDiv(all, launch(family, type, all, heads, dim).grid().x());
  }

  private static PreparedLaunch launch(Family family, ElementType type, long tokens, long heads, long dim) {
    return family.workload(family.defaults().with(Map.of("s", Long.toString(tokens), "h", Long.toString(heads), "d",
        Long.toString(dim), "pairs", Long.toString(dim / 2), "dtype", type.text(), "convention", "half"))).launch();
  }

  private record Problem(Family family, ElementType type) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var numbers = new HashMap<String, Long>();
      long dim = axes.get("dim");
      numbers.put("D", dim);
      numbers.put("H", axes.get("heads"));
      numbers.put("S", LEAST_TOKENS + random.nextLong(MOST_TOKENS));
      for (var stride : List.of("X_s", "X_h", "Y_s", "Y_h")) numbers.put(stride, dim + RowOperator.gap(random));
      for (var stride : List.of("C_s", "T_s")) numbers.put(stride, dim / 2 + RowOperator.gap(random));
      return numbers;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      long heads = n.get("H");
      long tile = HEADS.stream().filter(h -> h >= heads).findFirst().orElse(MOST_HEADS);
      var launch = launch(family, type, n.get("S"), tile, n.get("D"));
      var arguments = LaunchArguments.of(launch.kernel()).tensor("X", heads(n, "X")).tensor("C", table(n, "C"))
          .tensor("T", table(n, "T")).tensor("Y", heads(n, "Y"));
      int tiles = Math.toIntExact(launch.grid().x() * Math.ceilDiv(heads, tile));
      return LaunchSequence.of(new PreparedLaunch(launch.kernel(), Dim3.of(tiles), arguments.build()));
    }

    private static Tensor heads(Map<String, Long> n, String name) {
      return new Tensor(name, 0, List.of(n.get("S"), n.get("H"), n.get("D")),
          List.of(n.get(name + "_s"), n.get(name + "_h"), 1L));
    }

    private static Tensor table(Map<String, Long> n, String name) {
      return new Tensor(name, 0, List.of(n.get("S"), n.get("D") / 2), List.of(n.get(name + "_s"), 1L));
    }
  }
}
