package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.TileMask;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;
import tilewright.sm90.attention.backward.Sm90BackwardConfig.Shape;
import tilewright.verification.LongSuite;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;

/** Hopper's gradients of attention with one piece of their synchronisation wrong, in each of their forms. */
class Sm90AttentionBackwardMutationTest {
  /** Waits that each warpgroup passes once: for K and for V. */
  private static final int PASSED_ONCE = 2;

  /** Two blocks of keys add to a tile of dQ in any order, and four in theirs: it matters from three on. */
  private record Form(String name, Shape shape, boolean deterministic, boolean listed) {
    private static final int SEEDS = 3;
    private static final int ORDERED_SEEDS = 8;

    /** Three tiles of each of two heads, so that rings of two stages wrap more than once. */
    MutationTrial trial() {
      if (listed) return trialOfLists();
      int keys = (deterministic ? 3 : 1) * shape.keys() + 10;
      var sizes = new Sizes(1, 2 * shape.queries() + 6, keys, 2, 1, shape.headDim(), shape.valueDim());
      var setup = AttentionBackwardCases.setup(AttentionCases.band(ElementType.BF16, sizes, Band.ALL), deterministic);
      var trial = GradientsTrial.of(Sm90AttentionBackwardKernel.prepare(setup.problem(), shape), setup)
          .exceptFor(HarmlessMutants::isConvergence);
      return deterministic ? trial.together().withSeeds(ORDERED_SEEDS) : trial.withSeeds(SEEDS);
    }

    /** Tiles from lists, and the gradient of data that the function reads. */
    private MutationTrial trialOfLists() {
      int keys = (deterministic ? 2 : 1) * shape.keys() + 10;
      var sizes = new Sizes(1, 3 * shape.queries() + 6, keys, 2, 1, shape.headDim(), shape.valueDim());
      var dense = AttentionProblem.dense(ElementType.BF16, sizes);
      var setup = deterministic ? CapturedForms.inOrder(dense, new int[0], new int[0])
          : CapturedForms.gradients(dense, new int[0], new int[0]);
      var lists = new TileMask(setup.problem().forward(), shape.queries(), shape.keys(), deterministic);
      var trial = GradientsTrial.of(Sm90AttentionBackwardKernel.prepare(setup.problem(), shape), setup,
          Optional.of(lists)).exceptFor(HarmlessMutants::isConvergence);
      return deterministic ? trial.together().withSeeds(ORDERED_SEEDS) : trial.withSeeds(SEEDS);
    }

    Flaw[] flaws() {
      var flaws = new ArrayList<>(List.of(Flaw.MISSING_BARRIER, Flaw.MISSING_SIGNAL, Flaw.EARLIER_WAIT,
          Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES));
      if (deterministic) flaws.add(Flaw.WEAKER_FLAG);
      return flaws.toArray(Flaw[]::new);
    }
  }

  private static List<Form> forms() {
    var divided = new Shape(64, 64, 2, 64, 2, false, 40);
    var shared = new Shape(192, 128, 2, 64, 2, true, 40);
    return List.of(new Form("divided keys", divided, false, false),
        new Form("shared head dimension", shared, false, false),
        new Form("divided keys in order", divided, true, false),
        new Form("shared head dimension in order", shared, true, false),
        new Form("lists and captured data", divided, false, true),
        new Form("lists and captured data, shared head dimension", shared, false, true),
        new Form("lists in order", shared, true, true));
  }

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return LongSuite.of(forms()).stream().map(form -> DynamicContainer.dynamicContainer(form.name(),
        MutationTrial.tests(List.of(form.trial()), Sm90AttentionBackwardMutationTest::judge, form.flaws())));
  }

  private static void judge(Flaw flaw, List<Mutant> missed) {
    switch (flaw) {
      case MISSING_SIGNAL -> missed.forEach(Sm90AttentionBackwardMutationTest::assertThatTheAssemblerNeedsIt);
      case FROZEN_PHASE -> {
        // Waits that are passed once, whose phase is always the first.
        assertEquals(PASSED_ONCE, missed.size(), missed::toString);
        assertTrue(missed.stream().allMatch(m -> m.change().startsWith("fixed the parity at 0")), missed::toString);
      }
      default -> assertEquals(List.of(), missed.stream().map(Mutant::change).toList());
    }
  }

  /**
   * Some {@code wgmma.fence} of registers that no thread has touched since the fence before: the PTX ISA's rule does
   * not ask for it, but the assembler puts it in again, or serialises multiplications.
   */
  private static void assertThatTheAssemblerNeedsIt(Mutant mutant) {
    assertTrue(mutant.change().contains("wgmma.fence"), mutant.change());
    var warnings = warnings(mutant.module());
    assertTrue(warnings.size() > warnings(mutant.original()).size(), mutant.change() + " is not missed: " + warnings);
  }

  private static List<String> warnings(PtxModule module) {
    return switch (Assembler.find().assemble(PtxPrinter.print(module), "sm_90a")) {
      case Assembly.Assembled assembled -> assembled.warnings();
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    };
  }
}
