package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.tiled.SwizzledTile;

class FiguresTest {

  /** Row groupID or groupID + 8, column 2·threadID_in_group + (i mod 2): PTX ISA, fragments of mma.m16n8k16. */
  @Test
  void theAccumulatorFigureShowsTheFragmentOfThePtxManual() {
    var figure = Figures.fragmentC().toString();
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 4; i++) {
        int row = lane / 4 + (i < 2 ? 0 : 8);
        int column = lane % 4 * 2 + i % 2;
        var label = cell(60 + 62 * column + 31, row, "T" + lane + " c" + i);
        assertTrue(figure.contains(label), label);
      }
    }
  }

  /** Lanes 0–7 give rows 0–7 of the first 8×8 matrix, 8–15 of the second, and so on: PTX ISA, ldmatrix. */
  @Test
  void theLdmatrixFigureShowsEveryLaneOnce() {
    var figure = Figures.ldMatrix().toString();
    for (int lane = 0; lane < 32; lane++) {
      int row = lane % 16;
      int firstColumn = lane < 16 ? 0 : 8;
      var label = cell(60 + 14 * firstColumn + 56, row, "lane " + lane);
      assertTrue(figure.contains(label), label);
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

  /** A label in the middle of its cell, {@code row} cells down. */
  private static String cell(int x, int row, String label) {
    return "x=\"%d\" y=\"%d\" class=\"cell\">%s<".formatted(x, 40 + 26 * row + 13, label);
  }
}
