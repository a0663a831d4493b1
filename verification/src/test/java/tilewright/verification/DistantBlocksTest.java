package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.reference.ScoreRule;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;

/** Blocks of keys whose scores are so far apart that a reference of each block's own would overflow the sums. */
class DistantBlocksTest {
  private static final int BLOCK = 64;
  private static final long SEED = 5;

  static Stream<Arguments> distances() {
    return Stream.of(AttentionCases.SM80, AttentionCases.SM90).flatMap(architecture ->
        Stream.of(12f, 40f, 1000f).map(distance -> Arguments.of(architecture, distance)));
  }

  @ParameterizedTest
  @MethodSource("distances")
  void everyOtherBlockIsFarBelowTheOthers(AttentionCases.Architecture architecture, float distance) {
    var score = new Modification(Optional.of((s, _, _, _, k) ->
        k.dividedBy(BLOCK).modulo(2).toF32().fma(s.constant(-distance), s)), Optional.empty());
    var problem = AttentionProblem.dense(ElementType.F16, Sizes.of(1, 20, 5 * BLOCK, 1, 64)).with(score);
    var setup = new AttentionCases.Setup("distant", problem,
        (_, _, _) -> ScoreRule.bias((b, h, q, k) -> -distance * (k / BLOCK % 2)));
    var buffers = AttentionCases.buffers(architecture.kernel(), setup, SEED);
    assertEquals(List.of(), new SimulatorBackend(SEED).run(architecture.launch().apply(problem).on(buffers))
        .findings());
    assertEquals(Optional.empty(),
        AttentionCheck.compare(problem, setup.rules(), buffers, buffers).violation());
  }
}
