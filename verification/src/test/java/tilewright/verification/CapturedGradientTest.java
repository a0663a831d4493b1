package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.Scores;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionBackward;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionReference;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/** Gradients of captured tensors beside finite differences of the FP64 reference, element by element. */
class CapturedGradientTest {
  private static final Sizes SIZES = new Sizes(2, 70, 90, 4, 2, 64, 64);
  private static final double STEP = 1e-3;
  private static final int SAMPLES = 12;
  private static final CapturedTensor SLOPES = CapturedTensor.of("slopes", ElementType.F32, 1);
  private static final CapturedTensor BIAS = CapturedTensor.of("bias", ElementType.F32, 3);
  private static final CapturedTensor TABLE = CapturedTensor.of("relative", ElementType.F32, 2);
  private static final CapturedTensor FACTORS = CapturedTensor.of("factors", ElementType.F32, 2);

  /**
   * A function that reads one tensor.
   *
   * @param scale of the tensor's numbers
   * @param rule in Java, given those
   */
  private record Form(String name, CapturedTensor tensor, long[] extents, double scale, UnaryOperator<Attention> change,
      Function<double[], ScoreRule> rule) {
    int count() {
      return Math.toIntExact(Arrays.stream(extents).reduce(1, Math::multiplyExact));
    }
  }

  private static List<Form> forms() {
    int distances = SIZES.queries() + SIZES.keys() - 1;
    return List.of(
        new Form("ALiBi", SLOPES, new long[] {4}, 0.05, a -> a.score(Scores.alibi(SLOPES)).mask(Masks.causal()),
            t -> ScoreRule.mask((b, h, q, k) -> k <= q).and(ScoreRule.bias((b, h, q, k) -> t[h] * (k - q)))),
        new Form("bias", BIAS, new long[] {4, 70, 90}, 1, a -> a.score(Scores.bias(BIAS)),
            t -> ScoreRule.bias((b, h, q, k) -> t[(h * 70 + q) * 90 + k])),
        new Form("relative", TABLE, new long[] {4, distances}, 1,
            a -> a.score(Scores.relative(TABLE, SIZES.queries())).mask(Masks.prefixLm(9)),
            t -> ScoreRule.mask((b, h, q, k) -> k < 9 || k <= q)
                .and(ScoreRule.bias((b, h, q, k) -> t[h * distances + k - q + 69]))),
        new Form("relative by lists of blocks under a band", TABLE, new long[] {4, distances}, 1,
            a -> a.score(Scores.relative(TABLE, SIZES.queries())).mask(Masks.prefixLm(9)).causal().skippingBlocks(),
            t -> ScoreRule.causal(70, 90).and(ScoreRule.mask((b, h, q, k) -> k < 9 || k <= q))
                .and(ScoreRule.bias((b, h, q, k) -> t[h * distances + k - q + 69]))),
        new Form("relative, then softcap", TABLE, new long[] {4, distances}, 1,
            a -> a.score(Scores.relative(TABLE, SIZES.queries())).softcap(2).causal(),
            t -> ScoreRule.causal(70, 90).and(ScoreRule.bias((b, h, q, k) -> t[h * distances + k - q + 69]))
                .and(ScoreRule.softcap(2))),
        new Form("factors of scores, read twice", FACTORS, new long[] {2, 70}, 1, a -> a.score((s, b, h, q, k) ->
            s.times(FACTORS.at(b, q)).times(FACTORS.at(b, q)).plus(FACTORS.at(b, q))),
            t -> factors(t)));
  }

  private static ScoreRule factors(double[] t) {
    return new ScoreRule() {
      @Override
      public double change(double score, int b, int h, int q, int k) {
        double factor = t[b * 70 + q];
        return score * factor * factor + factor;
      }

      @Override
      public double slope(double score, int b, int h, int q, int k) {
        return t[b * 70 + q] * t[b * 70 + q];
      }
    };
  }

  static Stream<Arguments> cases() {
    return AttentionBackwardKernels.builtIn().all().stream().flatMap(kernel -> forms().stream()
        .filter(form -> kernel.refusal(asked(form).problem()).isEmpty())
        .map(form -> (Arguments) Arguments.argumentSet(kernel.name() + " " + form.name, kernel, form)));
  }

  private static AttentionBackward asked(Form form) {
    return form.change.apply(Attention.forward(ElementType.F16, SIZES)).capture(form.tensor, form.extents).backward()
        .gradientOf(form.tensor);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void gradientsAreThoseOfFiniteDifferences(AttentionBackwardKernel kernel, Form form) {
    var random = new Random(form.name.hashCode());
    var numbers = IntStream.range(0, form.count()).mapToDouble(_ -> (float) (form.scale * random.nextGaussian()))
        .toArray();
    var problem = asked(form).problem();
    var setup = new AttentionBackwardCases.Setup(new AttentionCases.Setup(form.name, problem.forward(),
        (_, _, _) -> form.rule.apply(numbers), new int[0], new int[0], Map.of(form.tensor.name(), numbers)), problem);
    var buffers = new HashMap<>(AttentionBackwardCases.buffers(kernel, setup, 5));
    var gradient = "d" + form.tensor.name();
    buffers.put(gradient, Buffers.zeros(ElementType.F32, form.count()));
    var sequence = kernel.prepare(problem);
    for (var launch : sequence.on(Buffers.withWorkspace(sequence, buffers))) {
      assertEquals(List.of(), new SimulatorBackend(3).run(launch).findings());
    }
    var ours = new TensorView(ElementType.F32, buffers.get(gradient), Layout.of(form.count(), 1)).values();
    double largest = Arrays.stream(ours).map(Math::abs).max().orElse(0);
    assertTrue(largest > 0);
    for (int i : sample(form.count(), random)) {
      double exact = (loss(form, numbers, i, STEP * form.scale, buffers)
          - loss(form, numbers, i, -STEP * form.scale, buffers)) / (2 * STEP * form.scale);
      assertEquals(exact, ours[i], 0.01 * largest, "element " + i);
    }
  }

  /** All elements of a small tensor, some of a large one. */
  private static List<Integer> sample(int count, Random random) {
    if (count <= SAMPLES) return IntStream.range(0, count).boxed().toList();
    var all = new ArrayList<>(List.of(0, count - 1));
    while (all.size() < SAMPLES) all.add(random.nextInt(count));
    return all;
  }

  /** Σ O ∘ dO in FP64, where one number of the tensor is moved. */
  private static double loss(Form form, double[] numbers, int moved, double by,
      Map<String, MemorySegment> buffers) {
    var other = numbers.clone();
    other[moved] += by;
    var o = new AttentionReference(view("Q", SIZES.queries(), SIZES.heads(), buffers),
        view("K", SIZES.keys(), SIZES.keyHeads(), buffers), view("V", SIZES.keys(), SIZES.keyHeads(), buffers),
        1 / Math.sqrt(SIZES.headDim()), form.rule.apply(other)).exact().o();
    var dO = view("dO", SIZES.queries(), SIZES.heads(), buffers).values();
    return IntStream.range(0, o.length).mapToDouble(i -> o[i] * dO[i]).sum();
  }

  private static TensorView view(String name, long rows, long heads, Map<String, MemorySegment> of) {
    long dim = SIZES.headDim();
    return new TensorView(ElementType.F16, of.get(name), new Layout(IntTuple.flat(SIZES.batch(), rows, heads, dim),
        IntTuple.flat(rows * heads * dim, heads * dim, dim, 1)));
  }

  @Test
  void whatHasNoGradientIsRefused() {
    var asked = Attention.forward(ElementType.F16, SIZES);
    refused("no gradient of slopes, which is not captured: there are bias",
        () -> asked.capture(BIAS, 4, 70, 90).backward().gradientOf(SLOPES));
    var ids = CapturedTensor.of("ids", ElementType.I32, 1);
    refused("no gradient of ids, whose elements are integers",
        () -> asked.capture(ids, 90).backward().gradientOf(ids));
    refused("no deterministic gradients of captured tensors, which are added to in any order: leave out one or the "
        + "other", () -> asked.backward().gradientOf(BIAS).deterministic());
    refused("no gradient of bias, which no function of scores reads", () -> prepared(asked, BIAS));
    refused("no gradient of slopes, which no function of scores reads", () -> prepared(
        Attention.forward(ElementType.F16, SIZES).score(Scores.bias(BIAS)).capture(BIAS, 4, 70, 90).capture(SLOPES, 4),
        SLOPES));
    ScoreMod rounding = (s, b, h, q, k) -> s.plus(SLOPES.at(h).roundedTo(ElementType.F16));
    refused("no derivative through cvt.f32.f16, on which the result depends: use "
        + "operations of F32 that have one, from the input on, or give the derivative in closed form", () -> prepared(
        Attention.forward(ElementType.F16, SIZES).score(rounding).capture(SLOPES, 4), SLOPES));
  }

  private static void prepared(Attention attention, CapturedTensor tensor) {
    attention.backward().gradientOf(tensor).prepare(AttentionBackwardKernels.builtIn().of(80));
  }

  private static void refused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }
}
