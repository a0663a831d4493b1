package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.device.Assembler;
import tilewright.device.Assembly;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;
import tilewright.sm90.attention.HopperAttention;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/**
 * Hopper attention with one piece of its synchronisation wrong: two warpgroups in turns, on one CTA in whose tiles
 * every ring wraps. What waits for one ring may spare waiting for another, so of two trials one notices.
 */
class Sm90AttentionMutationTest {
  private static final int DIM = 64;
  private static final int SEEDS = 4;
  /** Waits that each warpgroup passes once: for its first tile, and for that tile's queries, keys and values. */
  private static final int PASSED_ONCE = 4;
  /** What the assembler says where it puts a missing {@code wgmma.fence} in. */
  private static final String PUT_IN = "C7519";
  private static final Trials TWO = new Trials(2);

  /** Three stages, where waiting for K and V spares waiting for Q, and five, where it does not. */
  private record Trials(MutationTrial few, MutationTrial many) {
    Trials(int groups) {
      this(trial(groups, 3, 40, 3), trial(groups, 5, 20, 5));
    }

    private static MutationTrial trial(int groups, int tiles, int keys, int stages) {
      int queries = (tiles - 1) * groups * DIM + 8;
      var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, queries, keys, 1, DIM));
      var launch = HopperAttention.prepare(problem, new Shape(DIM, DIM, groups, 16, stages, 2, DIM, true));
      return MutationTrial.ofZeros(launch, Map.of("Q", 2 * queries * DIM, "K", 2 * keys * DIM, "V", 2 * keys * DIM,
          "O", 2 * queries * DIM, "LSE", 4 * queries, HopperAttention.COUNTER, 4)).on(Dim3.ONE).withSeeds(SEEDS);
    }

    /** Mutants that neither trial notices. */
    List<Mutant> missed(Function<PtxModule, List<Mutant>> mutations) {
      var ofFew = few.mutants(mutations);
      var ofMany = many.mutants(mutations);
      var missed = many.missed(ofMany).stream().map(ofMany::indexOf).toList();
      // More stages have more barriers to initialise, whose mutants come first.
      int apart = ofMany.size() - ofFew.size();
      var again = few.missed(missed.stream().filter(i -> i >= apart).map(i -> ofFew.get(i - apart)).toList()).stream()
          .map(m -> ofFew.indexOf(m) + apart).collect(Collectors.toSet());
      return missed.stream().filter(i -> i < apart || again.contains(i)).map(ofMany::get).toList();
    }
  }

  private static List<String> changes(List<Mutant> mutants) {
    return mutants.stream().map(Mutant::change).toList();
  }

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    TWO.few.withSeeds(20).assertTheKernelItselfIsClean();
    TWO.many.withSeeds(20).assertTheKernelItselfIsClean();
  }

  /** Turns too: warpgroups whose counts of arrivals differ end up waiting for ever. */
  @Test
  void aMissingBarrierIsNoticed() {
    assertEquals(List.of(), changes(TWO.missed(Mutations::withoutABarrier)));
    assertEquals(List.of(), changes(new Trials(3).missed(Mutations::withoutABarrier)));
  }

  /** But for some {@code wgmma.fence}, which the assembler puts in again. */
  @Test
  void aMissingSignalIsNoticed() {
    for (var mutant : TWO.missed(Mutations::withoutASignal)) {
      assertTrue(mutant.change().contains("wgmma.fence"), mutant.change());
      switch (Assembler.find().assemble(PtxPrinter.print(mutant.module()), "sm_90a")) {
        case Assembly.Assembled assembled -> assertTrue(assembled.warnings().toString().contains(PUT_IN),
            mutant.change() + " is not put in: " + assembled.warnings());
        case Assembly.Rejected rejected -> fail(rejected.log());
        case Assembly.Unavailable missing -> abort(missing.reason());
      }
    }
  }

  @Test
  void anEarlierWaitIsNoticed() {
    assertEquals(List.of(), changes(TWO.missed(Mutations::withAnEarlierWait)));
  }

  /** But for waits that are passed once, whose phase is always the first. */
  @Test
  void aPhaseThatDoesNotFlipIsNoticed() {
    var missed = changes(TWO.missed(Mutations::withAFrozenPhase));
    assertEquals(PASSED_ONCE, missed.size(), missed::toString);
    assertTrue(missed.stream().allMatch(change -> change.startsWith("fixed the parity at 0")), missed::toString);
  }

  @Test
  void otherArrivalsAreNoticed() {
    TWO.many.assertNoticed(Mutations::withOtherArrivals);
  }

  @Test
  void otherBytesAreNoticed() {
    assertEquals(List.of(), changes(TWO.missed(Mutations::withOtherBytes)));
  }
}
