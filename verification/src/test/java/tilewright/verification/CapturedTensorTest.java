package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
import tilewright.ptx.Launch;
import tilewright.reference.ScoreRule;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;

/** Data that functions may read, and where kernels read it; the catalogue's cases say that the numbers are right. */
class CapturedTensorTest {
  private static final Sizes SIZES = new Sizes(2, 80, 130, 4, 2, 64, 64);
  private static final CapturedTensor SLOPES = CapturedTensor.of("slopes", ElementType.F32, 1);
  private static final CapturedTensor BIAS = CapturedTensor.of("bias", ElementType.BF16, 3);
  private static final CapturedTensor BUCKETS = CapturedTensor.of("buckets", ElementType.I32, 1);
  private static final ScoreMod ALIBI = (score, b, h, q, k) -> k.minus(q).toF32().fma(SLOPES.at(h), score);
  private static final ScoreMod BIASED = (score, b, h, q, k) -> score.plus(BIAS.at(h, q, k));

  private static Attention asked() {
    return Attention.forward(ElementType.BF16, SIZES);
  }

  /** A function that reads the slopes by an index computed from the bucket of a key. */
  private static ScoreMod byBucket(CapturedTensor buckets) {
    return (score, b, h, q, k) -> score.plus(SLOPES.at(buckets.integerAt(k)));
  }

  static Stream<Arguments> refusals() {
    var hint = "; give a larger tensor, bound the index, or declare the integers that it comes from by below(count)";
    var where = "the functions of attention with B=2 H=4 Sq=80 Sk=130: ";
    return Stream.of(
        refusal("a function reads tensor slopes, which the launch does not give: capture it with its extents",
            a -> a.score(ALIBI)),
        refusal("a function reads tensor bias as bf16 of rank 3, and the launch gives f32 of rank 3",
            a -> a.score(BIASED).capture(CapturedTensor.of("bias", ElementType.F32, 3), 4, 80, 130)),
        refusal(where + "coordinate 0 of tensor slopes may be from 0 to 3, but its extent is 3" + hint,
            a -> a.score(ALIBI).capture(SLOPES, 3)),
        refusal(where + "coordinate 1 of tensor bias may be from 0 to 79, but its extent is 1" + hint,
            a -> a.score(BIASED).capture(BIAS, 4, 1, 130)),
        refusal(where + "coordinate 0 of tensor slopes may be from -79 to 129, but its extent is 500" + hint,
            a -> a.score((s, b, h, q, k) -> s.plus(SLOPES.at(k.minus(q)))).capture(SLOPES, 500)),
        refusal(where + "coordinate 0 of tensor slopes may be from -2147483648 to 2147483647, but its extent is 4"
            + hint,
            a -> a.score(byBucket(BUCKETS)).capture(SLOPES, 4).capture(BUCKETS, 130)),
        refusal(where + "coordinate 0 of tensor slopes may be from 0 to 4, but its extent is 4" + hint,
            a -> a.score(byBucket(BUCKETS.below(5))).capture(SLOPES, 4).capture(BUCKETS, 130)),
        refusal("a function reads number temperature, which the launch does not give: capture it",
            a -> a.score((s, b, h, q, k) -> s.times(s.parameter("temperature")))),
        refusal("a function reads integer window, which the launch does not give: capture it",
            a -> a.mask((b, h, q, k) -> k.lessThan(q.plus(q.parameter("window"))))),
        refusal("window = -1 is not in 0…2^30", a -> a.mask((b, h, q, k) -> k.lessThan(q.parameter("window")))
            .capture("window", -1)),
        refusal("captured tensor bias has rank 3, and a function reads it by 1 index",
            a -> a.score((s, b, h, q, k) -> s.plus(BIAS.at(h))).capture(BIAS, 4, 80, 130)),
        refusal("captured tensor bias has rank 3, got extents [4] and strides [1]", a -> a.capture(BIAS, 4)),
        refusal("captured tensor slopes has extents [0]: each at least 1", a -> a.capture(SLOPES, 0)),
        refusal("captured tensor slopes of f32 below 4: integers below 1 or more", a -> a.capture(SLOPES.below(4), 4)),
        refusal("captured tensor x of e4m3: f32, f16, bf16, i32 or i8",
            a -> a.capture(CapturedTensor.of("x", ElementType.E4M3, 1), 4)),
        refusal("'a b' is no name of a captured tensor: letters, digits and _",
            a -> a.capture(CapturedTensor.of("a b", ElementType.F32, 1), 4)),
        refusal("tensor captured_slopes[captured_slopes_0]: stride of captured_slopes_0 is 2, this kernel needs 1",
            a -> a.score(ALIBI).capture(new Captures.Given(SLOPES,
                new LaunchArguments.Tensor("slopes", 0, List.of(4L), List.of(2L))))));
  }

  private static Arguments refusal(String message, UnaryOperator<Attention> change) {
    return Arguments.of(message, change);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusals")
  void whatMightReadOutsideIsRefused(String message, UnaryOperator<Attention> change) {
    assertEquals(message, assertThrows(IllegalArgumentException.class,
        () -> change.apply(asked()).prepare(AttentionKernels.builtIn().of(80))).getMessage());
  }

  @Test
  void whatIsProvedIsAccepted() {
    asked().score(byBucket(BUCKETS.below(4))).capture(SLOPES, 4).capture(BUCKETS, 130)
        .prepare(AttentionKernels.builtIn().of(80));
    asked().score((s, b, h, q, k) -> s.plus(SLOPES.at(k.minus(q).plus(79)))).capture(SLOPES, 209)
        .prepare(AttentionKernels.builtIn().of(80));
  }

  /** The mutant that clamps no index: behind the last query of the last head it reads outside the buffer. */
  @Test
  void withoutClampsTheSimulatorFindsReadsOutside() {
    var asked = asked().score(BIASED).capture(BIAS, 4, 80, 130);
    var setup = new AttentionCases.Setup("bias", asked.problem(), (_, _, _) -> ScoreRule.NONE, new int[0], new int[0],
        Map.of("bias", new double[4 * 80 * 130]));
    var launch = asked.prepare(AttentionKernels.builtIn().of(80)).on(AttentionCases.buffers(setup, 3));
    var mutant = launch.ptx().replaceAll("min\\.u32\\s+(%r\\d+), (%r\\d+), %r\\d+;", "mov.b32 $1, $2;");
    assertNotEquals(launch.ptx(), mutant);
    assertEquals(List.of(), findings(launch, launch.ptx()));
    assertNotEquals(List.of(), findings(launch, mutant));
  }

  private static List<?> findings(Launch launch, String ptx) {
    return new SimulatorBackend(1).run(new Launch(ptx, launch.entry(), launch.grid(), launch.block(), launch.cluster(),
        launch.dynamicSharedBytes(), launch.features(), launch.ahead(), launch.buffers(), launch.arguments()))
        .findings();
  }

  /** A slope depends on the head alone: no loop over blocks reads it again. */
  @Test
  void whatDependsOnTheHeadAloneIsReadOutsideTheLoops() {
    for (int architecture : new int[] {80, 90, 100}) {
      var ptx = Attention.forward(ElementType.BF16, Sizes.of(2, 80, 130, 4, 64)).score(ALIBI).capture(SLOPES, 4)
          .prepare(AttentionKernels.builtIn().of(architecture)).kernel().ptx().lines().toList();
      var loads = ptx.stream().filter(line -> line.contains("ld.global.f32")).count();
      // One for tiles with all keys and one for those without, in each of the places that compute scores.
      assertEquals(architecture == 90 ? 3 : 2, loads, "sm" + architecture);
    }
  }
}
