package tilewright.verification.mutation;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.numerics.ElementType;
import tilewright.verification.cases.AttentionCases;

/** SM80 attention with one piece of its synchronisation wrong, in small tiles whose ring of keys wraps. */
class AttentionMutationTest {
  private static final AttentionCases.Setup SETUP =
      AttentionCases.band(ElementType.BF16, Sizes.of(1, 96, 60, 1, 32), Band.CAUSAL);

  /** Two warps share tiles of 16 keys, in each order of copying; the first tile of queries sees none of them. */
  static List<Shape> shapes() {
    return List.of(new Shape(32, 16, 32, 32, 2, 2, false, true, 1, 1),
        new Shape(32, 16, 32, 32, 2, 1, true, false, 1, 1));
  }

  private static MutationTrial trial(Shape shape) {
    return MutationTrial.of(Sm80AttentionKernel.prepare(SETUP.problem(), shape), () ->
        AttentionCases.buffers(SETUP, 3));
  }

  /** Blocks from lists, of sequences of which one is empty, and functions that read data of the launch. */
  private static MutationTrial listed(Shape shape) {
    var problem = CapturedForms.of(AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 131, 120, 1, 32))
        .with(new Packed("cuQ", "cuK", 3, 100)));
    var setup = CapturedForms.setup(problem, new int[] {100, 0, 31}, new int[] {90, 5, 25});
    var buffers = AttentionCases.buffers(setup, 3);
    CapturedForms.makeLists(new BlockMask(problem, shape.tileM(), shape.tileN()), buffers);
    return MutationTrial.onCopies(Sm80AttentionKernel.prepare(problem, shape), buffers).comparing("O").withSeeds(6);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void mistakesBesideListsAndCapturedDataAreNoticed(Shape shape) {
    var trial = listed(shape);
    trial.assertTheKernelItselfIsClean();
    trial.assertNoticed(Mutations::withoutABarrier);
    trial.assertNoticed(Mutations::withAWeakerWait);
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
