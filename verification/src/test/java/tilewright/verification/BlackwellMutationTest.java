package tilewright.verification;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.BlackwellGemm;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.UmmaTypes;

/**
 * The Blackwell GEMM on a pair of SMs with one piece of its synchronisation wrong: one pair computes four tiles, so
 * that both accumulators are used again, through a ring that wraps in each.
 */
class BlackwellMutationTest {
  private static final int M = 256;
  private static final int N = 256;
  private static final int K = 136;
  private static final MutationTrial TRIAL = trial();

  private static MutationTrial trial() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, M, N, K, 1, "TN");
    var config = new Sm100GemmConfig(UmmaTypes.of(problem.types()), true, true, 64, 2, 2, 2, 2, false, 8);
    return MutationTrial.ofZeros(BlackwellGemm.prepare(problem, config),
        Map.of("A", 2 * M * K, "B", 2 * N * K, "C", 2 * M * N)).on(Dim3.of(2));
  }

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    TRIAL.assertTheKernelItselfIsClean();
  }

  @Test
  void aMissingCommitFenceOrWaitOfTensorMemoryIsNoticed() {
    TRIAL.assertNoticed(Mutations::withoutATensorSignal);
  }

  @Test
  void aMissingSignalIsNoticed() {
    TRIAL.assertNoticed(Mutations::withoutASignal);
  }

  /** But for {@code bar.warp.sync}: the simulator's warps come together behind a branch without it. */
  @Test
  void aMissingBarrierIsNoticed() {
    TRIAL.exceptFor(mutant -> mutant.change().contains("bar.warp.sync")).assertNoticed(Mutations::withoutABarrier);
  }

  @Test
  void anEarlierWaitIsNoticed() {
    TRIAL.assertNoticed(Mutations::withAnEarlierWait);
  }

  @Test
  void aPhaseThatDoesNotChangeIsNoticed() {
    TRIAL.assertNoticed(Mutations::withAFrozenPhase);
  }

  @Test
  void anotherNumberOfArrivalsIsNoticed() {
    TRIAL.assertNoticed(Mutations::withOtherArrivals);
  }

  @Test
  void aSignalThatTheOtherSmMissesIsNoticed() {
    TRIAL.assertNoticed(Mutations::withANarrowerSignal);
  }

  @Test
  void otherBytesAreNoticed() {
    TRIAL.assertNoticed(Mutations::withOtherBytes);
  }
}
