package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.gemm.Gemm;

/**
 * Products by the kernels of SM80, for any strides: the larger the tile the more of them there are.
 *
 * @param capability the GPU's compute capability times ten, which limits tiles
 */
record AmpereGemm(int capability) implements GemmMachine {
  /** Rows and columns of the tiles that are counted. */
  private static final long COUNTED = 128;
  private static final List<Long> COUNTS = List.of(1L, 8L, 64L, 512L, 4096L);
  private static final int MOST_BATCH = 16;

  @Override
  public OperatorCase toCase(String key, GemmKind kind) {
    var tiles = tiles(COUNTED, COUNTED).times(Formula.of("L"));
    return new OperatorCase(key, List.of(new Axis("tiles", tiles, 1, COUNTS)), kind.extents(), List.of(), grids(),
        new Problem(kind, capability));
  }

  private static Formula tiles(long rows, long columns) {
    return Formula.of("M").ceilDiv(rows).times(Formula.of("N").ceilDiv(columns));
  }

  /** Grids of tiles with rows of a power of two. */
  static List<LongFunction<Formula>> grids() {
    return LongStream.of(64, 128, 256).<LongFunction<Formula>>mapToObj(rows -> columns -> tiles(rows, columns))
        .toList();
  }

  private record Problem(GemmKind kind, int capability) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      long rest = axes.get("tiles");
      long batch = kind.batched() && random.nextBoolean() ? divisor(rest, MOST_BATCH, random) : 1;
      rest /= batch;
      long rows = divisor(rest, rest, random);
      return kind.draw(within(rows, random), within(rest / rows, random), batch, random);
    }

    /** A random divisor that is at most a number. */
    private static long divisor(long number, long most, RandomGenerator random) {
      var divisors = LongStream.rangeClosed(1, Math.min(number, most)).filter(d -> number % d == 0).toArray();
      return divisors[random.nextInt(divisors.length)];
    }

    /** Draws an extent that this number of tiles covers. */
    private static long within(long tiles, RandomGenerator random) {
      return COUNTED * (tiles - 1) + 1 + random.nextLong(COUNTED);
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      var problem = kind.problem(numbers);
      return LaunchSequence.of(Gemm.sm80(problem, Gemm.configureForAnyStrides(problem, capability),
          kind.arguments(numbers)));
    }
  }
}
