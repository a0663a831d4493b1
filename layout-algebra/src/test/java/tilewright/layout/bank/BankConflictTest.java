package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;

/** What an analysis says, with the words of each bank counted by hand. */
class BankConflictTest {
  private static final BankGeometry FOUR = new BankGeometry(4, 4);

  private static BankAnalysis analysis(List<Long> words, int accessBytes) {
    return BankAnalysis.of(Layout.of(64, 1), 4, new AccessPattern("by hand", words, accessBytes), FOUR);
  }

  /** Banks 1 and 3 have two words each and the others none. */
  @Test
  void theFirstOfTheBanksThatTakeLongestIsTheWitness() {
    var analysis = analysis(List.of(3L, 5L, 1L, 7L), 4);
    var conflict = new BankConflict(1, List.of(2, 1), List.of(1L, 5L));
    assertEquals(List.of(new AccessPhase(0, 4, 2, 1, Optional.of(conflict))), analysis.phases());
    assertEquals(Optional.of(conflict), analysis.conflict());
    assertEquals("lanes [2, 1] want the words [1, 5] of bank 1", conflict.toString());
    assertFalse(analysis.conflictFree());
  }

  /** Phases of four lanes: 4 words of one bank, then one word, then 2 words of one bank. */
  @Test
  void anAnalysisSumsItsPhases() {
    var analysis = analysis(List.of(0L, 4L, 8L, 12L, 1L, 1L, 1L, 1L, 2L, 6L), 4);
    assertEquals(List.of(4, 1, 2), analysis.phases().stream().map(AccessPhase::wavefronts).toList());
    assertEquals(List.of(0, 4, 8), analysis.phases().stream().map(AccessPhase::firstLane).toList());
    assertEquals(List.of(4, 4, 2), analysis.phases().stream().map(AccessPhase::lanes).toList());
    assertEquals(10, analysis.lanes());
    assertEquals(4 + 1 + 2, analysis.wavefronts());
    assertEquals(1 + 1 + 1, analysis.ideal());
    assertEquals(4, analysis.degree());
    assertEquals(List.of(0, 1, 2, 3), analysis.conflict().orElseThrow().lanes());
  }

  /** Two lanes of eight bytes have the words 0, 1 and 2, 3; of 16 bytes there is one lane a phase. */
  @Test
  void aLaneOfSeveralWordsTakesItsBanksTogether() {
    assertTrue(analysis(List.of(0L, 2L), 8).conflictFree());
    assertEquals(2, analysis(List.of(0L, 4L), 8).wavefronts());
    assertEquals(2, analysis(List.of(0L, 4L), 16).phases().size());
    assertTrue(analysis(List.of(0L, 4L), 16).conflictFree());
  }
}
