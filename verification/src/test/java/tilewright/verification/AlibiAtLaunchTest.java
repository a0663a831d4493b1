package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.AlibiAtLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.numerics.ElementType;
import tilewright.reference.ScoreRule;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Case;

/** ALiBi with slopes of the launch, of heads or of heads in each batch entry, beside its definition. */
class AlibiAtLaunchTest {
  private static final long SEED = 31;
  private static final int HEADS = 4;
  private static final int BATCH = 2;
  private static final double[] SLOPES = new Random(SEED).doubles(BATCH * HEADS, 0.01, 0.3).map(x -> (float) x)
      .toArray();
  private static final int[] QUERIES = {37, 66};
  private static final int[] KEYS = {70, 20};

  private static AttentionCases.Setup fixed(int perBatch, Band band, int queries, int keys) {
    var problem = AttentionProblem.dense(ElementType.BF16, new Sizes(BATCH, queries, keys, HEADS, 2, 64, 64)).with(band)
        .with(AlibiAtLaunch.of(SLOPES.length, perBatch, queries, keys));
    return new AttentionCases.Setup("slopes " + perBatch + " " + queries, problem, (_, q, k) -> rule(band, q, k)
        .and(ScoreRule.bias((b, h, i, j) -> -SLOPES[b * perBatch + h] * Math.abs(i + k - q - j))), new int[0],
        new int[0], Map.of(AlibiAtLaunch.SLOPES, SLOPES));
  }

  private static AttentionCases.Setup packed(int perBatch, Band band) {
    var problem = AttentionProblem.dense(ElementType.BF16, new Sizes(1, 103, 90, HEADS, 2, 64, 64)).with(band)
        .with(new Packed("cuQ", "cuK", BATCH, 66))
        .with(AlibiAtLaunch.packed(SLOPES.length, perBatch, "cuQ", "cuK", BATCH));
    return new AttentionCases.Setup("packed slopes " + perBatch, problem, (entry, q, k) -> rule(band, q, k)
        .and(ScoreRule.bias((_, h, i, j) -> -SLOPES[entry * perBatch + h] * Math.abs(i + k - q - j))), QUERIES, KEYS,
        Map.of(AlibiAtLaunch.SLOPES, SLOPES));
  }

  private static ScoreRule rule(Band band, int queries, int keys) {
    return band.isAll() ? ScoreRule.NONE : ScoreRule.causal(queries, keys);
  }

  static Stream<Arguments> cases() {
    var setups = List.of(fixed(0, Band.CAUSAL, 70, 50), fixed(HEADS, Band.ALL, 50, 70), packed(0, Band.ALL),
        packed(HEADS, Band.CAUSAL));
    return setups.stream().flatMap(setup -> Stream.concat(Stream.of(AttentionCases.SM80, AttentionCases.SM90)
        .map(by -> AttentionCases.makeCase(by, setup, Set.of("sim"), SEED)),
        Stream.of(new Sm80AttentionBackwardKernel(), new Sm90AttentionBackwardKernel()).map(kernel ->
            AttentionBackwardCases.makeCase(kernel, AttentionBackwardCases.setup(setup, false), SEED))))
        .map(made -> Arguments.argumentSet(made.kernel() + " " + made.config(), made));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void biasesAreThoseOfTheDefinition(Case made) {
    var row = Verification.verify(made, new SimulatorBackend(SEED));
    assertEquals("", row.reason());
    assertEquals(Row.Status.PASS, row.status());
  }
}
