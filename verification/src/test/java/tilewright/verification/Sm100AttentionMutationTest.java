package tilewright.verification;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.attention.BlackwellAttention;
import tilewright.sm100.attention.Sm100AttentionConfig.Shape;

/**
 * Blackwell attention with one piece of its synchronisation wrong: one CTA has three tiles, so that every ring wraps,
 * of an odd number of blocks, so that phases differ from tile to tile; and scores that grow by more than 2⁸ from block
 * to block in some rows, so that O is corrected.
 */
class Sm100AttentionMutationTest {
  private static final int QUERIES = 520;
  private static final int DIM = 32;
  private static final int SEEDS = 6;
  private static final MutationTrial FULL = trial(140, Band.ALL);
  /** Begins with several blocks behind a mask; with one there is nothing to correct yet. */
  private static final MutationTrial WINDOW = trial(330, Band.window(100, 0));

  private static MutationTrial trial(int keys, Band band) {
    var setup = AttentionCases.band(ElementType.BF16, Sizes.of(1, QUERIES, keys, 1, DIM), band);
    var launch = BlackwellAttention.prepare(setup.problem(), new Shape(DIM, DIM, 64, 5, 4));
    return MutationTrial.of(launch, () -> growing(setup, keys)).on(Dim3.ONE).withSeeds(SEEDS).comparing("O");
  }

  private static Map<String, MemorySegment> growing(AttentionCases.Setup setup, int keys) {
    var buffers = AttentionCases.buffers(setup, 1);
    for (int q = 0; q < QUERIES; q++) setFirst(buffers.get("Q"), q, 8 * (1 + q % 3));
    for (int k = 0; k < keys; k++) setFirst(buffers.get("K"), k, (keys - k) / 10f);
    return buffers;
  }

  private static void setFirst(MemorySegment rows, int row, float value) {
    rows.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, (long) row * DIM,
        (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
  }

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    for (var trial : List.of(FULL, WINDOW)) trial.withSeeds(20).assertTheKernelItselfIsClean();
  }

  @Test
  void aMissingCommitFenceOrWaitOfTensorMemoryIsNoticed() {
    WINDOW.assertNoticed(Mutations::withoutATensorSignal);
  }

  @Test
  void aMissingSignalIsNoticed() {
    FULL.assertNoticed(Mutations::withoutASignal);
  }

  /**
   * But for {@code bar.warp.sync} where the warp comes together anyway: behind the wait for its stores to Tensor
   * Memory, which is {@code .sync.aligned}, and in the simulator behind a branch, before the barrier at the end.
   */
  @Test
  void aMissingBarrierIsNoticed() {
    FULL.exceptFor(Sm100AttentionMutationTest::isTogether).assertNoticed(Mutations::withoutABarrier);
  }

  private static boolean isTogether(Mutant mutant) {
    if (!mutant.change().contains("bar.warp.sync")) return false;
    var lines = FULL.launch().kernel().ptx().lines().map(String::strip).toList();
    int line = Integer.parseInt(mutant.change().replaceAll("\\D*(\\d+).*", "$1"));
    return lines.get(line - 2).startsWith("tcgen05.fence::before_thread_sync")
        || lines.get(line).startsWith("bar.sync");
  }

  @Test
  void anEarlierWaitIsNoticed() {
    FULL.assertNoticed(Mutations::withAnEarlierWait);
  }

  @Test
  void aPhaseThatDoesNotChangeIsNoticed() {
    FULL.assertNoticed(Mutations::withAFrozenPhase);
  }

  @Test
  void anotherNumberOfArrivalsIsNoticed() {
    FULL.assertNoticed(Mutations::withOtherArrivals);
  }

  @Test
  void otherBytesAreNoticed() {
    FULL.assertNoticed(Mutations::withOtherBytes);
  }
}
