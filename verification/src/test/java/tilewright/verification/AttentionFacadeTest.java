package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;

/** The choices of {@link Attention}, and its messages for problems that no kernel computes. */
class AttentionFacadeTest {
  private static Attention asked(int dim) {
    return Attention.forward(ElementType.BF16, Sizes.of(1, 8, 8, 1, dim));
  }

  @Test
  void aGpuGetsTheKernelOfItsArchitecture() {
    assertEquals("sm80_attention", asked(64).choose(AttentionKernels.builtIn().of(80)).name());
    assertEquals("sm80_attention", asked(64).choose(AttentionKernels.builtIn().of(89)).name());
    assertEquals("sm90_attention", asked(64).choose(AttentionKernels.builtIn().of(90)).name());
    assertEquals("sm100_attention", asked(64).choose(AttentionKernels.builtIn().of(100)).name());
  }

  @Test
  void whatItsKernelCannotDoIsLeftToSm80() {
    // A distance of 36 elements from row to row is no multiple of 16 bytes.
    assertEquals("sm80_attention", asked(36).choose(AttentionKernels.builtIn().of(100)).name());
    var strided = asked(64).tensors(new View("Q", 0, 1, 8, 1, 8), View.bshd("K", 8, 1, 64), View.bshd("V", 8, 1, 64),
        View.bshd("O", 8, 1, 64));
    assertEquals("sm80_attention", strided.choose(AttentionKernels.builtIn().of(100)).name());
  }

  @Test
  void whatNoKernelCanDoIsRefusedWithEveryKernelsReason() {
    var error = assertThrows(IllegalArgumentException.class,
        () -> asked(1032).prepare(AttentionKernels.builtIn().all()));
    assertEquals("no kernel computes this attention: "
        + "sm120_attention: bf16 operands need another kernel; "
        + "sm100_attention: head dimensions 1032 and 1032 are more than 192 and 128; "
        + "sm90_mla_decode: V is not the first columns of K, or K has 1 heads: latent attention reads one row for all "
        + "heads; "
        + "sm90_attention: head dimensions 1032 and 1032 are more than 256; "
        + "sm89_attention: bf16 operands need another kernel; "
        + "sm80_mla_decode: V is not the first columns of K, or K has 1 heads: latent attention reads one row for all "
        + "heads; "
        + "sm80_attention: head dimension 1032 is more than 1024; "
        + "sm80_decode_attention: head dimension 1032 is more than 256", error.getMessage());
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        refusal("invalid window -2,0: lengths from 0, or -1 for all", () -> asked(64).window(-2, 0)),
        refusal("invalid softcap 0.0: it must be positive", () -> asked(64).softcap(0)),
        refusal("invalid softcap NaN: it must be positive", () -> asked(64).softcap(Float.NaN)),
        refusal("invalid scale -1.0: it must be positive", () -> asked(64).scale(-1)),
        refusal("invalid scale NaN: it must be positive", () -> asked(64).scale(Float.NaN)),
        refusal("no attention of f32: f16 or bf16, or e4m3 with its factors",
            () -> Attention.forward(ElementType.F32, Sizes.of(1, 8, 8, 1, 64))),
        refusal("3 heads do not share 2 heads of keys: they must be a multiple",
            () -> new Sizes(1, 8, 8, 3, 2, 64, 64)),
        refusal("3 heads do not share 0 heads of keys: they must be a multiple",
            () -> new Sizes(1, 8, 8, 3, 0, 64, 64)),
        refusal("invalid attention extents B=-1 Sq=8 Sk=8 H=1 Hk=1 D=64 Dv=64: head dimensions are at least 1, all "
            + "else at least 0", () -> Sizes.of(-1, 8, 8, 1, 64)),
        refusal("invalid attention extents B=1 Sq=8 Sk=8 H=1 Hk=1 D=0 Dv=0: head dimensions are at least 1, all "
            + "else at least 0", () -> Sizes.of(1, 8, 8, 1, 0)),
        refusal("packed sequences lie in one batch entry, not in 2",
            () -> Attention.forward(ElementType.BF16, Sizes.of(2, 8, 8, 1, 64)).packed(new Packed("cuQ", "cuK", 2, 8))),
        refusal("skipping blocks needs a mask, a band or lists of blocks", () -> asked(64).skippingBlocks()),
        refusal("no attention for sm75: sm80 or later", () -> AttentionKernels.builtIn().of(75)));
  }

  private static Arguments refusal(String message, Executable asked) {
    return Arguments.of(message, asked);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusals")
  void whatMakesNoSenseIsRefusedAtOnce(String message, Executable asked) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, asked).getMessage());
  }

  @Test
  void logarithmsMayBeLeftOut() {
    var launch = asked(64).logSumExp(Optional.empty()).prepare(List.copyOf(AttentionKernels.builtIn().of(90)));
    assertEquals(List.of(), launch.kernel().parameters().stream().filter(p -> p.name().startsWith("LSE")).toList());
  }
}
