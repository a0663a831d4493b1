package tilewright.sm120;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** Scales' lanes against the text of the PTX ISA (Block Scaling for mma.sync). */
class BlockScaledMmaTest {

  /** thread-id-a of 0 selects lanes 0 and 1 of every four, 1 lanes 2 and 3: rows lane / 4, and eight on. */
  @Test
  void anAtomOfAHasItsRowsInTwoLanesOfEveryFour() {
    for (int atom = 0; atom < BlockScaledMma.ATOMS_M; atom++) {
      for (int row = 0; row < 16; row++) {
        int lane = row % 8 * 4 + 2 * atom + row / 8;
        assertEquals(16 * atom + row, BlockScaledMma.ROWS_A.apply(lane), "lane " + lane);
      }
    }
  }

  /** thread-id-b selects one lane of every four: column lane / 4. */
  @Test
  void anAtomOfBHasItsRowsInOneLaneOfEveryFour() {
    for (int atom = 0; atom < BlockScaledMma.ATOMS_N; atom++) {
      for (int row = 0; row < 8; row++) {
        assertEquals(8 * atom + row, BlockScaledMma.ROWS_B.apply(4 * row + atom), "row " + row + " of atom " + atom);
      }
    }
  }

  /** 32 bytes of k have one scale of 32 elements of 8 bits, two of 32 of 4 bits, or four of 16. */
  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E4M3, 1, 0 0 0 0", "MXF4, E2M1, 2, 0 0 1 1", "NVF4, E2M1, 4, 0 1 2 3"})
  void slicesGoThroughTheScalesOfARow(MmaKind kind, MmaFormat format, int scales, String words) {
    var mma = new BlockScaledMma(new UmmaTypes(kind, format, format, ElementType.F32));
    assertEquals(scales, mma.scales());
    for (int slice = 0; slice < 4; slice++) {
      assertEquals(words.split(" ")[slice], String.valueOf(mma.word(slice)));
    }
  }

  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E2M3", "F8F6F4, E4M3"})
  void refusesWhatItDoesNotMultiply(MmaKind kind, MmaFormat format) {
    var types = new UmmaTypes(kind, format, format, ElementType.F32);
    var refusal = assertThrows(TraceException.class, () -> new BlockScaledMma(types));
    assertTrue(refusal.getMessage().contains("e4m3 and e5m2 of MXF8F6F4"), refusal.getMessage());
  }
}
