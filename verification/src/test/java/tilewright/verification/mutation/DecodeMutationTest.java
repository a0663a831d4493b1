package tilewright.verification.mutation;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.decoding.DecodeShape.Warps;
import tilewright.kernels.attention.decoding.DecodeShape;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.merging.BlockSplits;
import tilewright.kernels.attention.merging.Division;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;
import tilewright.verification.cases.ApartStatistics;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.CachedAttention;
import tilewright.verification.cases.LatentAttention;

/** Decoding with one piece of its synchronisation wrong, in rings of stages that wrap. */
class DecodeMutationTest {
  private static final Sm80DecodeAttentionKernel KERNEL = new Sm80DecodeAttentionKernel();
  private static final int BLOCKS_OF_SPLIT = 4;

  /**
   * Groups of one warp, of two and of four, which wait for each other by other barriers; and warps that share rows of
   * latent attention, with two stages and one.
   */
  static List<DecodeShape> shapes() {
    return List.of(new DecodeShape(16, 16, 2, 64, 2, 1), new DecodeShape(32, 16, 2, 64, 3, 1),
        new DecodeShape(64, 32, 1, 64, 2, 1), new DecodeShape(16, 32, 1, new Warps(1, 2), 192, 128, 2, 1),
        new DecodeShape(32, 32, 1, new Warps(2, 2), 192, 128, 1, 1));
  }

  private static MutationTrial trial(DecodeShape shape) {
    int room = 2 * BLOCKS_OF_SPLIT * shape.blockKeys();
    int queries = shape.rows() / 2 - 1;
    // The second split of the last entry has no keys.
    int[] used = {room - 3, room / 2 - 5};
    var numbers = shape.warps().along() > 1
        ? LatentAttention.used(LatentAttention.of(ElementType.BF16, 2, queries, room, 2, shape.valueDim(), Band.CAUSAL,
            new KeySplits.Ranges(2)), used)
        : CachedAttention.used(new Sizes(2, queries, room, 2, 1, 64, 64), new KeySplits.Ranges(2), Band.CAUSAL, used);
    boolean apart = shape.rows() == 32;
    var setup = shape.rows() == 64 ? CachedAttention.inCodesOfTokens(numbers)
        : apart ? ApartStatistics.with(numbers) : numbers;
    var sequence = KERNEL.launches(setup.problem(), shape, new HeadPacking(2),
        new Division.Even(new BlockSplits(2, BLOCKS_OF_SPLIT), apart));
    return MutationTrial.onCopies(sequence.launches().getFirst(),
        Buffers.withWorkspace(sequence, AttentionCases.buffers(KERNEL, setup, 3))).withSeeds(6)
        .comparing(apart ? new String[] {"partialO", "partialMaxima", "partialSums"}
            : new String[] {"partialO", "partialLSE"});
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void theKernelItselfIsCleanAndGivesTheSameBitsUnderEverySchedule(DecodeShape shape) {
    trial(shape).assertTheKernelItselfIsClean();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aMissingBarrierIsNoticed(DecodeShape shape) {
    trial(shape).assertNoticed(Mutations::withoutABarrier);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aWeakerWaitIsNoticed(DecodeShape shape) {
    trial(shape).assertNoticed(Mutations::withAWeakerWait);
  }
}
