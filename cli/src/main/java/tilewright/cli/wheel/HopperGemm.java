package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;

/** Products on Hopper: the tile with the least cost. */
final class HopperGemm implements GemmMachine {
  private static final String SEED = "L64X128MixRandom";

  @Override
  public OperatorCase toCase(String key, GemmKind kind) {
    var problem = new Problem(kind);
    var like = kind.draw(RandomGenerator.of(SEED));
    var tiles = Sm90Gemms.choices(kind.problem(like), kind.arguments(like)).stream()
        .map(tile -> new OperatorCase.Candidate(tile.tile(), tile.microseconds(), tile.features(),
            tile.form(), tile.blocks(), numbers -> problem.prepare(numbers, Optional.of(tile.tile())))).toList();
    return new OperatorCase(key, List.of(), kind.extents(), List.of(), List.of(), problem, tiles,
        Optional.of(Sm90Gemms.correction()), List.of());
  }

  private record Problem(GemmKind kind) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      return kind.draw(random);
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      return prepare(numbers, Optional.empty());
    }

    private LaunchSequence prepare(Map<String, Long> numbers, Optional<String> tile) {
      var problem = kind.problem(numbers);
      var config = tile.map(name -> Sm90Gemms.configure(problem, name));
      return LaunchSequence.of(kind.epilogue() == GemmEpilogue.BLOCK ? blocks(numbers, config)
          : config.map(c -> Sm90Gemms.prepare(problem, c, kind.arguments(numbers)))
              .orElseGet(() -> Sm90Gemms.prepare(problem, kind.arguments(numbers))));
    }

    private PreparedLaunch blocks(Map<String, Long> numbers, Optional<Sm90GemmConfig> config) {
      var gemm = new ScaledGemm(kind.problem(numbers), GemmKind.factorsOfA(numbers), GemmKind.factorsOfB(numbers));
      return config.map(gemm::prepare).orElseGet(gemm::prepare);
    }
  }
}
