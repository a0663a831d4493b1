package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.choice.Formula;
import tilewright.sm100.Sm100Gemms;

/** Products on Blackwell: pairs of CTAs where there are rows for two, in narrow tiles where there are few columns. */
final class BlackwellGemm implements GemmMachine {
  private static final int MOST_BATCH = 16;
  private static final List<Long> EXTENTS = List.of(8L, 64L, 512L, 4096L, 16384L);

  @Override
  public OperatorCase toCase(String key, GemmKind kind) {
    var axes = List.of(new Axis("rows", Formula.of("M"), 1, EXTENTS), new Axis("columns", Formula.of("N"), 1, EXTENTS));
    return new OperatorCase(key, axes, kind.extents(), List.of(), grids(), new Problem(kind));
  }

  private static List<LongFunction<Formula>> grids() {
    return LongStream.of(128, 256).<LongFunction<Formula>>mapToObj(rows -> columns -> Formula.of("M").ceilDiv(rows)
        .times(Formula.of("N").ceilDiv(columns)).times(Formula.of("L"))).toList();
  }

  private record Problem(GemmKind kind) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      return kind.draw(axes.get("rows"), axes.get("columns"),
          kind.batched() && random.nextBoolean() ? 1L + random.nextInt(MOST_BATCH) : 1L, random);
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      return LaunchSequence.of(Sm100Gemms.prepare(kind.problem(numbers), kind.arguments(numbers)));
    }
  }
}
