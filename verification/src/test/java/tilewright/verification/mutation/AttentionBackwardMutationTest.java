package tilewright.verification.mutation;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.TileMask;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.kernels.attention.backward.Sm80BackwardConfig.Shape;
import tilewright.numerics.ElementType;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;

/** SM80 gradients with one piece of their synchronisation wrong, in small tiles of two warps. */
class AttentionBackwardMutationTest {
  /** Two blocks of keys add to a tile of dQ in any order, and four in theirs: it matters from three on. */
  private record Form(Band band, int stages, boolean deterministic) {
    MutationTrial trial() {
      var sizes = Sizes.of(1, 96, deterministic ? 100 : 60, 1, 32);
      var setup = AttentionBackwardCases.setup(AttentionCases.band(ElementType.BF16, sizes, band), deterministic);
      var sequence = Sm80AttentionBackwardKernel.prepare(setup.problem(), new Shape(32, 32, 32, 32, 2, 2, 2, 2, stages,
          1));
      return GradientsTrial.of(sequence, setup);
    }
  }

  static Stream<Form> forms() {
    return Stream.of(new Form(Band.CAUSAL, 2, false), new Form(Band.ALL, 1, false), new Form(Band.CAUSAL, 2, true),
        new Form(Band.ALL, 1, true));
  }

  static Stream<Form> deterministicForms() {
    return forms().filter(Form::deterministic);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void theKernelItselfIsCleanAndGivesTheSameBitsUnderEverySchedule(Form form) {
    form.trial().assertTheKernelItselfIsClean();
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aMissingBarrierIsNoticed(Form form) {
    form.trial().assertNoticed(Mutations::withoutABarrier);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aWeakerWaitIsNoticed(Form form) {
    form.trial().assertNoticed(Mutations::withAWeakerWait);
  }

  /** Tiles from lists, of sequences of which one is empty, and the gradient of data that the function reads. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void mistakesBesideListsAndCapturedDataAreNoticed(int stages) {
    var dense = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 120, 101, 1, 32))
        .with(new Packed("cuQ", "cuK", 3, 90));
    var setup = CapturedForms.gradients(dense, new int[] {90, 5, 25}, new int[] {60, 0, 41});
    var shape = new Shape(32, 32, 32, 32, 2, 2, 2, 2, stages, 1);
    var trial = GradientsTrial.of(Sm80AttentionBackwardKernel.prepare(setup.problem(), shape), setup,
        Optional.of(new TileMask(setup.problem().forward(), shape.tileM(), shape.tileN()))).withSeeds(6);
    trial.assertTheKernelItselfIsClean();
    trial.assertNoticed(Mutations::withoutABarrier);
    trial.assertNoticed(Mutations::withAWeakerWait);
  }

  /** Blocks that add to a tile in the order of their launch, of which lists name some. */
  @Test
  void mistakesInTheOrderOfListedBlocksAreNoticed() {
    var dense = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 120, 145, 1, 32))
        .with(new Packed("cuQ", "cuK", 3, 90));
    var setup = CapturedForms.inOrder(dense, new int[] {90, 5, 25}, new int[] {105, 0, 40});
    var shape = new Shape(32, 32, 32, 32, 2, 2, 2, 2, 1, 1);
    var trial = GradientsTrial.of(Sm80AttentionBackwardKernel.prepare(setup.problem(), shape), setup,
        Optional.of(new TileMask(setup.problem().forward(), shape.tileM(), shape.tileN(), true)));
    trial.assertTheKernelItselfIsClean();
    trial.assertNoticed(Mutations::withoutABarrier);
    trial.assertNoticed(Mutations::withAWeakerFlag);
  }

  @ParameterizedTest
  @MethodSource("deterministicForms")
  void aWeakerTurnIsNoticed(Form form) {
    form.trial().assertNoticed(Mutations::withAWeakerFlag);
  }
}
