package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.async.atom.ByteTranspose;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;

class ConformanceFiguresTest {
  private static final WgmmaAtom ATOM = new WgmmaAtom(ElementType.E4M3, ConformanceFigures.KEYS);

  /** PTX ISA, wgmma fragments: thread t has columns 2t, 2t+1, 8+2t, 8+2t+1 of D, and k = 4t to 4t+3 of A. */
  @Test
  void threadsHaveTheColumnsOfTheManual() {
    var cells = cells();
    for (int t = 0; t < 4; t++) {
      for (int column : List.of(2 * t, 2 * t + 1, 8 + 2 * t, 8 + 2 * t + 1)) {
        assertEquals("T" + t, cells.get("0 " + column));
      }
      for (int k = 4 * t; k < 4 * t + 4; k++) assertEquals("T" + t, cells.get("1 " + k));
    }
  }

  /** Operand A of a thread is, in that order, its accumulators. */
  @Test
  void theKeysOfAThreadsPlacesAreItsAccumulators() {
    var cells = cells();
    for (int k = 0; k < 16; k++) {
      assertEquals(cells.get("1 " + k), cells.get("0 " + cells.get("2 " + k)), "k = " + k);
    }
  }

  @Test
  void theTransposeHasTheSameOrderOfKeys() {
    var order = RegisterOperand.permuted(ATOM, ATOM).order();
    assertEquals("(2,2,4,8):(1,8,2,16)", order.toString());
    assertEquals(order, ByteTranspose.rowOfColumn(ConformanceFigures.KEYS));
    assertEquals("(8,2,8):(2,1,16)", ByteTranspose.columnOfRow(ConformanceFigures.KEYS).toString());
    var cells = cells();
    for (int column = 0; column < 16; column++) {
      assertEquals("" + order.apply(column), cells.get("2 " + column));
      assertEquals("" + (2 * (column % 8) + column / 8), cells.get("3 " + column));
    }
    var table = ConformanceFigures.table();
    for (var layout : List.of(ATOM.accumulator(), ATOM.operandA(), order)) {
      assertTrue(table.contains("`+" + layout + "+`"), table);
    }
  }

  @Test
  void theRefusalNamesTheFirstKeyThatDiffers() {
    assertTrue(ConformanceFigures.refusal().startsWith("k = 2 is column 8 of the accumulators in operand A, 2 in"),
        ConformanceFigures.refusal());
  }

  private static Map<String, String> cells() {
    return ConformanceFigures.keys().panels().getFirst().cells().stream()
        .collect(Collectors.toMap(cell -> cell.row() + " " + cell.column(), cell -> String.join("", cell.lines())));
  }
}
