package tilewright.sm90.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;

class RegisterOperandTest {

  /** PTX ISA, wgmma: registers of A hold neighbours along k, rows g and g+8, then the same half a slice further. */
  @ParameterizedTest
  @CsvSource({"F16, 2", "BF16, 2", "TF32, 1", "E4M3, 4", "E5M2, 4"})
  void operandAIsWhatTheManualSays(ElementType type, int packed) {
    var layout = new WgmmaAtom(type, 8).operandA();
    for (int thread = 0; thread < 128; thread++) {
      for (int value = 0; value < 4 * packed; value++) {
        int register = value / packed;
        int row = thread / 32 * 16 + thread % 32 / 4 + register % 2 * 8;
        int column = thread % 4 * packed + value % packed + register / 2 * 4 * packed;
        assertEquals(row + 64L * column, layout.apply(thread + 128L * value), "thread " + thread + " value " + value);
      }
    }
  }

  @Test
  void accumulatorsOfSixteenColumnsAreASliceOfHalves() {
    var operand = RegisterOperand.of(new WgmmaAtom(ElementType.BF16, 176), new WgmmaAtom(ElementType.BF16, 128));
    assertEquals(11, operand.slices());
    for (int i = 0; i < 128 * 88; i++) assertEquals(i, operand.values().apply(i));
  }

  /** A thread has two neighbours of the accumulators but four of an operand of bytes. */
  @Test
  void bytesWouldHaveToMoveBetweenThreads() {
    var refusal = assertThrows(TraceException.class,
        () -> RegisterOperand.of(new WgmmaAtom(ElementType.E4M3, 128), new WgmmaAtom(ElementType.E4M3, 128)));
    assertTrue(refusal.getMessage().contains("are not operand A"), refusal.getMessage());
  }

  @Test
  void columnsThatAreNoSlicesAreRefused() {
    var atom = new WgmmaAtom(ElementType.BF16, 24);
    assertThrows(TraceException.class, () -> RegisterOperand.of(atom, atom));
  }
}
