package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.ScoreRule;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;

/** Numbers beside each other that functions of scores read: in one access where rows begin at pairs of them. */
class CapturedPairsTest {
  private static final long SEED = 7;
  private static final Sizes SIZES = new Sizes(1, 70, 230, 2, 1, 64, 64);

  /** Attention with a bias (queries, keys) whose rows are a number of elements apart. */
  private static Attention biased(CapturedTensor bias, ScoreMod mod, long offset, long stride) {
    return Attention.forward(ElementType.BF16, SIZES).score(mod).capture(new Captures.Given(bias,
        new LaunchArguments.Tensor("bias", offset, List.of(230L, 230L), List.of(stride, 1L))));
  }

  private static long loads(Attention attention, int architecture, String type) {
    return attention.prepare(AttentionKernels.builtIn().of(architecture)).kernel().ptx().lines()
        .filter(line -> line.contains("ld.global." + type + " ")).count();
  }

  static Stream<Arguments> types() {
    return Stream.of(80, 90, 100).flatMap(architecture -> Stream.of(ElementType.F32, ElementType.F16, ElementType.BF16)
        .map(type -> Arguments.of(architecture, type)));
  }

  @ParameterizedTest
  @MethodSource("types")
  void twoAreReadInOneAccessWhereRowsAreAligned(int architecture, ElementType type) {
    var bias = CapturedTensor.of("bias", type, 2);
    ScoreMod mod = (s, b, h, q, k) -> s.plus(bias.at(q, k));
    boolean wide = type == ElementType.F32;
    var single = wide ? "f32" : "b16";
    var pair = wide ? "b64" : "b32";
    var apart = biased(bias, mod, 0, 231);
    var together = biased(bias, mod, 0, 232);
    long pairs = loads(together, architecture, pair);
    assertTrue(pairs > 0);
    assertEquals(0, loads(apart, architecture, pair));
    assertEquals(loads(apart, architecture, single), loads(together, architecture, single) + 2 * pairs);
    // Where a tile has not all of its keys, each index is clamped.
    assertTrue(loads(together, architecture, single) >= 2 * pairs);
    assertEquals(0, loads(biased(bias, mod, type.bytes(), 232), architecture, pair), "rows that begin at odd places");
    assertEquals(0, loads(biased(bias, (s, b, h, q, k) -> s.plus(bias.at(k, q)), 0, 232), architecture, pair),
        "neighbours in other rows");
    assertEquals(0, loads(biased(bias, (s, b, h, q, k) -> s.plus(bias.at(h, k.plus(q).dividedBy(2))), 0, 232),
        architecture, pair), "neighbours that are one element");
    assertEquals(0, loads(biased(bias, (s, b, h, q, k) -> s.plus(bias.at(h, k.minus(q).max(0))), 0, 232), architecture,
        pair), "neighbours whose place is not known");
  }

  static Stream<Arguments> kernels() {
    return Stream.of(AttentionCases.SM80, AttentionCases.SM90, AttentionCases.SM100)
        .map(by -> Arguments.argumentSet(by.kernel().name(), by));
  }

  /** A bias of pairs, and one by a number that is even behind the key. */
  @ParameterizedTest
  @MethodSource("kernels")
  void theyAreTheNumbersOfTheirPlaces(AttentionCases.Architecture by) {
    var bias = CapturedTensor.of("bias", ElementType.F32, 2);
    var places = CapturedTensor.of("places", ElementType.F16, 1);
    var narrow = CapturedTensor.of("narrow", ElementType.BF16, 2);
    int queries = SIZES.queries();
    int keys = SIZES.keys();
    var problem = Attention.forward(ElementType.BF16, SIZES).score((s, b, h, q, k) ->
        s.plus(bias.at(q, k)).plus(places.at(k.plus(q.times(2)))).plus(narrow.at(h, k.plus(6))))
        .capture(bias, queries, keys).capture(places, keys + 2L * queries).capture(narrow, 2, keys + 6).problem();
    var numbers = Map.of("bias", normal(bias, queries * keys), "places", normal(places, keys + 2 * queries),
        "narrow", normal(narrow, 2 * (keys + 6)));
    var setup = new AttentionCases.Setup("pairs", problem, (_, _, _) -> ScoreRule.bias((b, h, q, k) ->
        numbers.get("bias")[q * keys + k] + numbers.get("places")[k + 2 * q]
            + numbers.get("narrow")[h * (keys + 6) + k + 6]), new int[0], new int[0], numbers);
    var row = Verification.verify(AttentionCases.makeCase(by, setup, Set.of("sim"), SEED), new SimulatorBackend(SEED));
    assertEquals("", row.reason());
    assertEquals(Row.Status.PASS, row.status());
  }

  /** Numbers that the tensor's type holds exactly. */
  private static double[] normal(CapturedTensor tensor, int count) {
    var random = new Random(SEED);
    return IntStream.range(0, count).mapToDouble(_ -> tensor.type().toDouble(tensor.type()
        .fromDouble(random.nextGaussian(), Rounding.NEAREST_EVEN))).toArray();
  }
}
