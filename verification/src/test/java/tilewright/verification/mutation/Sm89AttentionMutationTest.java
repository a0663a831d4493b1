package tilewright.verification.mutation;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.numerics.ElementType;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.QuantizedAttention;

/** Attention of e4m3 operands with one piece of its synchronisation wrong, in small tiles whose ring of keys wraps. */
class Sm89AttentionMutationTest {
  private static final Sizes SIZES = Sizes.of(1, 96, 100, 1, 32);
  private static final AttentionCases.Setup SETUP = QuantizedAttention.quantized(
      AttentionCases.band(ElementType.BF16, SIZES, Band.CAUSAL), Quantized.perBlock(ElementType.BF16, SIZES, 32, 32));

  /** Two warps share tiles of 32 keys, in each order of copying; O takes Q's place in two halves. */
  static List<Shape> shapes() {
    return List.of(new Shape(32, 32, 32, 32, 2, 2, false, false, 1, 1),
        new Shape(32, 32, 32, 32, 2, 1, false, false, 1, 1));
  }

  private static MutationTrial trial(Shape shape) {
    return MutationTrial.of(Sm89AttentionKernel.prepare(SETUP.problem(), shape),
        () -> AttentionCases.buffers(SETUP, 3));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void theKernelItselfIsCleanAndGivesTheSameBitsUnderEverySchedule(Shape shape) {
    trial(shape).comparing("O").assertTheKernelItselfIsClean();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aMissingBarrierIsNoticed(Shape shape) {
    trial(shape).assertNoticed(Mutations::withoutABarrier);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aWeakerWaitIsNoticed(Shape shape) {
    trial(shape).assertNoticed(Mutations::withAWeakerWait);
  }
}
