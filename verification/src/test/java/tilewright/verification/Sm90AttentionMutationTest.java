package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.attention.HopperAttention;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/** Hopper attention with one piece of its synchronisation wrong, on one CTA in whose five tiles every ring wraps. */
class Sm90AttentionMutationTest {
  private static final int QUERIES = 300;
  private static final int DIM = 64;
  private static final int SEEDS = 8;
  /** Few stages, where waiting for K and V spares waiting for Q. */
  private static final MutationTrial FEW_STAGES = trial(40, 3);
  /** Many stages, where it does not. */
  private static final MutationTrial MANY_STAGES = trial(20, 5);

  private static MutationTrial trial(int keys, int stages) {
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, QUERIES, keys, 1, DIM));
    var launch = HopperAttention.prepare(problem, new Shape(DIM, DIM, 1, 16, stages, 2, DIM, false));
    return MutationTrial.ofZeros(launch, Map.of("Q", 2 * QUERIES * DIM, "K", 2 * keys * DIM, "V", 2 * keys * DIM,
        "O", 2 * QUERIES * DIM, "LSE", 4 * QUERIES, HopperAttention.COUNTER, 4)).on(Dim3.ONE).withSeeds(SEEDS);
  }

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    FEW_STAGES.withSeeds(20).assertTheKernelItselfIsClean();
    MANY_STAGES.withSeeds(20).assertTheKernelItselfIsClean();
  }

  /** But for {@code wgmma.fence}, behind which the next product's follows, which the assembler asks for. */
  @Test
  void aMissingSignalIsNoticed() {
    MANY_STAGES.exceptFor(m -> m.change().contains("wgmma.fence")).assertNoticed(Mutations::withoutASignal);
  }

  @Test
  void aMissingBarrierIsNoticed() {
    MANY_STAGES.assertNoticed(Mutations::withoutABarrier);
  }

  @Test
  void anEarlierWaitIsNoticedWithFewStagesOrMany() {
    var few = FEW_STAGES.mutants(Mutations::withAnEarlierWait);
    var many = MANY_STAGES.mutants(Mutations::withAnEarlierWait);
    assertEquals(many.size(), few.size(), "the same waits in both");
    var missed = FEW_STAGES.missed(few).stream().map(few::indexOf).collect(Collectors.toSet());
    assertEquals(List.of(), MANY_STAGES.missed(missed.stream().map(many::get).toList()).stream()
        .map(Mutant::change).toList());
  }

  @Test
  void otherBytesAreNoticed() {
    MANY_STAGES.assertNoticed(Mutations::withOtherBytes);
  }
}
