package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.device.Assembler;
import tilewright.device.Assembly;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;

/**
 * Hopper attention with one piece of its synchronisation wrong, in each of its forms. What waits for one ring may spare
 * waiting for another, so each form has several problems, of one of which a mutant has to be noticed.
 */
class Sm90AttentionMutationTest {
  /** Waits that each warpgroup passes once: for its first tile, and for that tile's queries, keys and values. */
  private static final int PASSED_ONCE = 4;
  /** What the assembler says where it puts a missing {@code wgmma.fence} in. */
  private static final String PUT_IN = "C7519";

  /** Mutants that no problem of a form notices. */
  private static List<Mutant> missed(Sm90AttentionForm form, Function<PtxModule, List<Mutant>> mutations) {
    var trials = form.trials();
    var left = trials.getFirst().missed(mutations.apply(trials.getFirst().module()));
    for (var trial : trials.subList(1, trials.size())) {
      var changes = left.stream().map(Mutant::change).toList();
      // One kernel, so that changes are the same.
      left = trial.missed(mutations.apply(trial.module()).stream().filter(m -> changes.contains(m.change())).toList());
    }
    return left;
  }

  private static void assertNoticed(Sm90AttentionForm form, Function<PtxModule, List<Mutant>> mutations) {
    assertEquals(List.of(), missed(form, mutations).stream().map(Mutant::change).toList());
  }

  @ParameterizedTest
  @EnumSource
  void theKernelItselfIsCleanUnderEverySchedule(Sm90AttentionForm form) {
    for (var trial : form.trials()) trial.withSeeds(5).assertTheKernelItselfIsClean();
  }

  /** Turns too: warpgroups whose counts of arrivals differ end up waiting for ever. */
  @ParameterizedTest
  @EnumSource
  void aMissingBarrierIsNoticed(Sm90AttentionForm form) {
    assertNoticed(form, Mutations::withoutABarrier);
  }

  /** But for some {@code wgmma.fence}, which the assembler puts in again. */
  @ParameterizedTest
  @EnumSource
  void aMissingSignalIsNoticed(Sm90AttentionForm form) {
    for (var mutant : missed(form, Mutations::withoutASignal)) {
      assertTrue(mutant.change().contains("wgmma.fence"), mutant.change());
      switch (Assembler.find().assemble(PtxPrinter.print(mutant.module()), "sm_90a")) {
        case Assembly.Assembled assembled -> assertTrue(assembled.warnings().toString().contains(PUT_IN),
            mutant.change() + " is not put in: " + assembled.warnings());
        case Assembly.Rejected rejected -> fail(rejected.log());
        case Assembly.Unavailable missing -> abort(missing.reason());
      }
    }
  }

  /**
   * But, where O takes the place of the only queries, for the wait before the last word that there are no more tiles:
   * the queries of the tile before were copied since, which waited until the tile before that was stored, and all of
   * its warps had read its number by then.
   */
  @ParameterizedTest
  @EnumSource
  void anEarlierWaitIsNoticed(Sm90AttentionForm form) {
    var missed = missed(form, Mutations::withAnEarlierWait).stream().map(Mutant::change);
    var place = lastBarrier(form);
    var inPlace = form == Sm90AttentionForm.IN_PLACE;
    assertEquals(List.of(), missed.filter(change -> !(inPlace && change.contains("+" + place + "]"))).toList());
  }

  /** Where the empty barrier of the ring of tiles lies, of the first of two stages. */
  private static long lastBarrier(Sm90AttentionForm form) {
    var places = Pattern.compile("mbarrier\\.init\\S* \\[\\S*\\+(\\d+)\\]").matcher(
        form.trials().getFirst().launch().kernel().ptx()).results().map(m -> Long.parseLong(m.group(1))).toList();
    return places.getLast() - Long.BYTES;
  }

  /** But for waits that are passed once, whose phase is always the first. */
  @ParameterizedTest
  @EnumSource
  void aPhaseThatDoesNotFlipIsNoticed(Sm90AttentionForm form) {
    var missed = missed(form, Mutations::withAFrozenPhase).stream().map(Mutant::change).toList();
    assertEquals(PASSED_ONCE, missed.size(), missed::toString);
    assertTrue(missed.stream().allMatch(change -> change.startsWith("fixed the parity at 0")), missed::toString);
  }

  @ParameterizedTest
  @EnumSource
  void otherArrivalsAndBytesAreNoticed(Sm90AttentionForm form) {
    assertNoticed(form, module -> Stream.of(Mutations.withOtherArrivals(module), Mutations.withOtherBytes(module))
        .flatMap(List::stream).toList());
  }
}
