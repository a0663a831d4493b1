package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.layout.draw.Picture;

class FiguresTest {

  /** Row groupID or groupID + 8, column 2·threadID_in_group + (i mod 2): PTX ISA, fragments of mma.m16n8k16. */
  @Test
  void theAccumulatorFigureShowsTheFragmentOfThePtxManual() {
    var cells = places(Figures.fragmentC());
    assertEquals(128, cells.size());
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 4; i++) {
        int row = lane / 4 + (i < 2 ? 0 : 8);
        int column = lane % 4 * 2 + i % 2;
        assertEquals("T" + lane + "V" + i, cells.get(row + " " + column));
      }
    }
  }

  /** Lanes 0–7 give rows 0–7 of the first 8×8 matrix, 8–15 of the second, and so on: PTX ISA, ldmatrix. */
  @Test
  void theLdmatrixFigureShowsEveryLaneOnce() {
    var cells = places(Figures.ldMatrix());
    assertEquals(32, cells.size());
    for (int lane = 0; lane < 32; lane++) {
      assertEquals("lane " + lane, cells.get(lane % 16 + " " + (lane < 16 ? 0 : 8)));
    }
  }

  @Test
  void eightRowsOfAChunkLieInOneBankGroupPlainAndInAllEightSwizzled() {
    var swizzled = SwizzledTile.alongColumns(8, 64, 1);
    for (int column = 0; column < 8; column++) {
      int chunk = column;
      assertEquals(1, groups(row -> Figures.bankGroup(swizzled.layout(), row, chunk)));
      assertEquals(8, groups(row -> Figures.bankGroup(swizzled, row, chunk)));
    }
  }

  private static long groups(IntUnaryOperator groupOfRow) {
    return IntStream.range(0, 8).map(groupOfRow).distinct().count();
  }

  private static Map<String, String> places(Picture picture) {
    return picture.panels().getFirst().cells().stream()
        .collect(Collectors.toMap(cell -> cell.row() + " " + cell.column(), cell -> String.join("", cell.lines())));
  }
}
