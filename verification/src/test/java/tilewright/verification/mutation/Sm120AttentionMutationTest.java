package tilewright.verification.mutation;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.numerics.ElementType;
import tilewright.sm120.Sm120AttentionKernel;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Mxf8Attention;

/** Attention of mxf8 operands with one piece of its synchronisation wrong, in small tiles whose ring of keys wraps. */
class Sm120AttentionMutationTest {
  private static final AttentionCases.Setup SETUP = Mxf8Attention.scaled(
      AttentionCases.band(ElementType.BF16, Sizes.of(1, 96, 150, 1, 32), Band.CAUSAL));

  /** Two warps share tiles of 32 keys, in each order of copying: a tile of scales has those of four blocks of keys. */
  static List<Shape> shapes() {
    return List.of(new Shape(32, 32, 32, 32, 2, 2, false, false, 1, 1),
        new Shape(32, 32, 32, 32, 2, 1, false, false, 1, 1));
  }

  private static MutationTrial trial(Shape shape) {
    return MutationTrial.of(Sm120AttentionKernel.prepare(SETUP.problem(), shape),
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
