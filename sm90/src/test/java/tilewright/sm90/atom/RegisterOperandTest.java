package tilewright.sm90.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.async.atom.ByteTranspose;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
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
  void bytesAreOfTheSameThreadInAnotherOrderOnly() {
    var atom = new WgmmaAtom(ElementType.E4M3, 128);
    var refusal = assertThrows(TraceException.class, () -> RegisterOperand.of(atom, atom));
    assertTrue(refusal.getMessage().contains("k = 2 is column 8"), refusal.getMessage());
  }

  /** By the manual's fragments: thread t of a quad has columns 2t, 2t+1, 8+2t and 8+2t+1 of 16, and k = 4t to 4t+3. */
  @ParameterizedTest
  @ValueSource(ints = {32, 96, 128, 192})
  void bytesGoThroughTheColumnsInAnotherOrder(int columns) {
    var operand = RegisterOperand.permuted(new WgmmaAtom(ElementType.E4M3, columns),
        new WgmmaAtom(ElementType.E5M2, ElementType.E4M3, 64));
    for (int k = 0; k < columns; k++) {
      int thread = k % 16 / 4;
      int column = k / 16 * 16 + k % 4 / 2 * 8 + 2 * thread + k % 2;
      assertEquals(column, operand.order().apply(k), "k = " + k);
    }
    for (int slice = 0; slice < operand.slices(); slice++) {
      for (int value = 0; value < 16; value++) {
        int k = slice * 32 + value % 4 + value / 8 * 16;
        int column = k / 16 * 16 + k % 4 / 2 * 8 + k % 2;
        int accumulator = column / 8 * 4 + value / 4 % 2 * 2 + column % 2;
        assertEquals(accumulator, operand.values().apply(value + 16L * slice), "slice " + slice + " value " + value);
      }
    }
  }

  /** The transpose of V puts keys into the order that P has them in. */
  @Test
  void theTransposeOfBytesHasTheSameOrder() {
    var atom = new WgmmaAtom(ElementType.E4M3, 96);
    var operand = RegisterOperand.permuted(atom, atom);
    operand.requireOrder(ByteTranspose.rowOfColumn(96));
    var refusal = assertThrows(TraceException.class, () -> operand.requireOrder(Layout.of(96, 1)));
    assertTrue(refusal.getMessage().contains("k = 2 is column 8 of the accumulators in operand A, 2 in operand B"),
        refusal.getMessage());
  }

  /** Thread t needs k = 4t to 4t+3: of even k first, its two columns 8g+2t and 8g+2t+1 are k = 16g+4t and 16g+4t+2. */
  @ParameterizedTest
  @ValueSource(ints = {32, 96, 128, 192})
  void bytesAreInTheirOwnOrderWhereColumnsAreEveryOtherOne(int columns) {
    var atom = new WgmmaAtom(ElementType.E4M3, columns);
    var names = RegisterOperand.strided(atom, atom);
    for (int column = 0; column < columns; column++) {
      assertEquals(column < columns / 2 ? 2 * column : 2 * column - columns + 1, names.apply(column));
    }
    var operand = RegisterOperand.permuted(atom, names, atom);
    operand.requireOrder(Layout.of(columns, 1));
    for (int thread = 0; thread < 4; thread++) {
      for (int slice = 0; slice < operand.slices(); slice++) {
        for (int value = 0; value < 16; value++) {
          long held = atom.accumulator().apply(thread + 128 * operand.values().apply(value + 16L * slice));
          long needed = atom.operandA().apply(thread + 128L * value);
          assertEquals(needed % 64, held % 64);
          assertEquals(needed / 64 + 32 * slice, names.apply(held / 64), "slice " + slice + " value " + value);
        }
      }
    }
  }

  @Test
  void columnsOfSixteenBitsKeepTheirNames() {
    var atom = new WgmmaAtom(ElementType.BF16, 176);
    var names = RegisterOperand.strided(atom, atom);
    for (int column = 0; column < 176; column++) assertEquals(column, names.apply(column));
  }

  @Test
  void columnsThatAreNoSlicesAreRefused() {
    var atom = new WgmmaAtom(ElementType.BF16, 24);
    assertThrows(TraceException.class, () -> RegisterOperand.of(atom, atom));
  }
}
