package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.merging.Division;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;
import tilewright.verification.LongSuite;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.CachedAttention;
import tilewright.verification.cases.ChosenTokens;
import tilewright.verification.cases.LatentAttention;

/** Latent attention with one piece of its synchronisation wrong, in a ring of blocks that wraps. */
class LatentMutationTest {
  private static final List<Flaw> FEW = List.of(Flaw.MISSING_BARRIER, Flaw.MISSING_SIGNAL, Flaw.EARLIER_WAIT);
  private static final List<Flaw> ALL = Stream.concat(FEW.stream(), Stream.of(Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS,
      Flaw.OTHER_BYTES)).toList();

  /** Five blocks: pairs of them, and a last one that has no other. */
  private static MutationTrial trial() {
    var kernel = new Sm90MlaDecodeKernel();
    var setup = CachedAttention.paged(LatentAttention.used(LatentAttention.of(ElementType.BF16, 1, 1, 300, 2, 128,
        Band.ALL, new KeySplits.Ranges(1)), 300), 64);
    var sequence = kernel.launches(setup.problem());
    return MutationTrial.onCopies(sequence.launches().getFirst(),
        Buffers.withWorkspace(sequence, AttentionCases.buffers(kernel, setup, 3))).withSeeds(6).comparing("O", "LSE");
  }

  /** Five blocks of tokens that a query has chosen, some of them none. */
  private static MutationTrial trialOfTokens() {
    var kernel = new Sm90MlaDecodeKernel();
    var setup = ChosenTokens.of(LatentAttention.of(ElementType.BF16, 1, 1, 300, 2, 128, Band.ALL,
        new KeySplits.Ranges(1)), 64, 4);
    var sequence = kernel.launches(setup.problem());
    return MutationTrial.onCopies(sequence.launches().getFirst(),
        Buffers.withWorkspace(sequence, AttentionCases.buffers(kernel, setup, 3))).withSeeds(6).comparing("O", "LSE");
  }

  /** Two shares: the second has the end of one entry, one block of the next, and all of two others. */
  private static MutationTrial trialOfShares() {
    var kernel = new Sm90MlaDecodeKernel();
    var setup = LatentAttention.used(LatentAttention.of(ElementType.BF16, 4, 1, 900, 2, 128, Band.ALL,
        new KeySplits.Balanced()), 900, 1, 200, 0);
    var shares = new WorkShares("schedule", 4, 1, 2, WorkShares.Kind.PERSISTENT);
    var sequence = kernel.launches(setup.problem(), new Division.Balanced(shares, 64, false));
    var buffers = Buffers.withWorkspace(sequence, AttentionCases.buffers(kernel, setup, 3));
    var schedule = sequence.launches().getFirst().on(buffers);
    assertEquals(List.of(), new SimulatorBackend(1).run(schedule).findings());
    return MutationTrial.onCopies(sequence.launches().get(1), buffers).withSeeds(6).comparing("O", "LSE", "partialO",
        "partialLSE");
  }

  @TestFactory
  Stream<DynamicTest> everyMistakeInSharesIsNoticed() {
    return LongSuite.EVERY_CASE
        ? MutationTrial.tests(List.of(trialOfShares()), (flaw, missed) -> judge(flaw, missed, 0),
            ALL.toArray(Flaw[]::new))
        : Stream.of();
  }

  /** Copies that threads make are waited for, group by group. */
  @TestFactory
  Stream<DynamicTest> everyMistakeInAGatherIsNoticed() {
    var flaws = Stream.concat((LongSuite.EVERY_CASE ? ALL : FEW).stream().filter(flaw -> flaw != Flaw.OTHER_BYTES),
        Stream.of(Flaw.WEAKER_WAIT)).toArray(Flaw[]::new);
    return MutationTrial.tests(List.of(trialOfTokens()), (flaw, missed) -> judge(flaw, missed, 3), LongSuite::of,
        flaws);
  }

  @TestFactory
  Stream<DynamicTest> everyMistakeIsNoticed() {
    return MutationTrial.tests(List.of(trial()), (flaw, missed) -> judge(flaw, missed, 3),
        (LongSuite.EVERY_CASE ? ALL : FEW).toArray(Flaw[]::new));
  }

  /** @param passedOnce waits of one tile that are passed once, in the first phase */
  private static void judge(Flaw flaw, List<Mutant> missed, int passedOnce) {
    var changes = missed.stream().map(Mutant::change).toList();
    switch (flaw) {
      // The assembler puts one in again, as the test of Hopper's attention says.
      case MISSING_SIGNAL -> assertTrue(changes.stream().allMatch(c -> c.contains("wgmma.fence")), changes::toString);
      case FROZEN_PHASE -> {
        // For P of the last block, and of each warpgroup for Q.
        assertEquals(passedOnce, missed.size(), changes::toString);
        assertTrue(changes.stream().allMatch(c -> c.startsWith("fixed the parity at 0")), changes::toString);
      }
      default -> assertEquals(List.of(), changes);
    }
  }
}
