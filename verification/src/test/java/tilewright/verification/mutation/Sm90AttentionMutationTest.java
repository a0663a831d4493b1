package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.ptx.PtxPrinter;
import tilewright.verification.LongSuite;

/**
 * Hopper attention with one piece of its synchronisation wrong, in each of its forms. What waits for one ring may spare
 * waiting for another, so each form has several problems, of one of which a mutant has to be noticed.
 */
class Sm90AttentionMutationTest {
  /** Waits that each warpgroup passes once: for its first tile, and for that tile's queries, keys and values. */
  private static final int PASSED_ONCE = 4;
  /** What the assembler says where it puts a missing {@code wgmma.fence} in. */
  private static final String PUT_IN = "C7519";

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return LongSuite.of(List.of(Sm90AttentionForm.values())).stream()
        .map(form -> DynamicContainer.dynamicContainer(form.name(),
        MutationTrial.tests(form.trials(), (flaw, missed) -> judge(form, flaw, missed),
            everyMutant(form) ? UnaryOperator.identity() : LongSuite::of, Flaw.MISSING_BARRIER, Flaw.MISSING_SIGNAL,
            Flaw.EARLIER_WAIT, Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES)));
  }

  /** Whether all mutants of a form are tried: of those that are like the first one, a sample is enough. */
  private static boolean everyMutant(Sm90AttentionForm form) {
    return LongSuite.EVERY_CASE || form == Sm90AttentionForm.TWO_IN_TURNS;
  }

  /** Turns are noticed too: warpgroups whose counts of arrivals differ end up waiting for ever. */
  private static void judge(Sm90AttentionForm form, Flaw flaw, List<Mutant> missed) {
    switch (flaw) {
      case MISSING_SIGNAL -> missed.stream()
          .filter(mutant -> !(form.publishesOnes() && mutant.change().contains("fence.mbarrier_init")))
          .forEach(Sm90AttentionMutationTest::assertThatItIsPutInAgain);
      case EARLIER_WAIT -> assertWaitsForTheLastTile(form, changes(missed));
      case FROZEN_PHASE -> {
        // Waits that are passed once, whose phase is always the first.
        if (everyMutant(form)) assertEquals(PASSED_ONCE, missed.size(), missed::toString);
        assertTrue(changes(missed).allMatch(c -> c.startsWith("fixed the parity at 0")), missed::toString);
      }
      default -> assertEquals(List.of(), changes(missed).toList());
    }
  }

  private static Stream<String> changes(List<Mutant> mutants) {
    return mutants.stream().map(Mutant::change);
  }

  /** Some {@code wgmma.fence}, which the assembler puts in again. */
  private static void assertThatItIsPutInAgain(Mutant mutant) {
    assertTrue(mutant.change().contains("wgmma.fence"), mutant.change());
    switch (Assembler.find().assemble(PtxPrinter.print(mutant.module()), "sm_90a")) {
      case Assembly.Assembled assembled -> assertTrue(assembled.warnings().toString().contains(PUT_IN),
          mutant.change() + " is not put in: " + assembled.warnings());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  /**
   * Where O takes the place of the only queries, the wait before the last word that there are no more tiles: the
   * queries of the tile before were copied since, which waited until the tile before that was stored, and all of its
   * warps had read its number by then.
   */
  private static void assertWaitsForTheLastTile(Sm90AttentionForm form, Stream<String> missed) {
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
}
