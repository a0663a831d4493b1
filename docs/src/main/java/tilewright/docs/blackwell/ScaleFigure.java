package tilewright.docs.blackwell;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;
import tilewright.sm100.atom.ScaleCopy;

/** A figure of the scales of 128 rows: in memory and, after a copy, in Tensor Memory. */
final class ScaleFigure {
  private static final int WORD = 4;
  private static final int GROUP = 32;
  /** Rows of memory that are shown, of 32. */
  private static final int SHOWN = 8;

  private ScaleFigure() {}

  /** Sixteen bytes per row: the scales of rows 32 apart follow each other, four of each. */
  static Picture tile() {
    var layout = ScaleCopy.layout();
    int[] row = new int[ScaleCopy.BYTES];
    int[] scale = new int[ScaleCopy.BYTES];
    for (int r = 0; r < ScaleCopy.ROWS; r++) {
      for (int s = 0; s < ScaleCopy.SCALES; s++) {
        int at = Math.toIntExact(layout.apply(r + (long) ScaleCopy.ROWS * s));
        row[at] = r;
        scale[at] = s;
      }
    }
    return Picture.of("The first bytes of a tile of scales, and where they lie in Tensor Memory",
        memory(row, scale), tensorMemory(row));
  }

  private static Panel memory(int[] row, int[] scale) {
    int width = WORD * ScaleCopy.SCALES;
    var cells = new ArrayList<Cell>();
    for (int i = 0; i < SHOWN * width; i++) {
      cells.add(new Cell(i / width, i % width, 1, row[i] / GROUP, List.of(row[i] + "," + scale[i]), false,
          "byte " + i + ": scale " + scale[i] + " of row " + row[i]));
    }
    return Panel.of("memory: row,scale", SHOWN, width, cells).labelled(r -> "" + r * width, c -> "+" + c);
  }

  /** Each word of memory becomes a column's cell of a lane. */
  private static Panel tensorMemory(int[] row) {
    var cells = new ArrayList<Cell>();
    for (int lane = 0; lane < SHOWN; lane++) {
      for (int column = 0; column < ScaleCopy.COLUMNS; column++) {
        int first = (lane * ScaleCopy.COLUMNS + column) * WORD;
        cells.add(new Cell(lane, column, 1, row[first] / GROUP, List.of("" + row[first]), false,
            "lane " + lane + ", column " + column + ": four scales of row " + row[first]));
      }
    }
    return Panel.of("Tensor Memory: rows", SHOWN, ScaleCopy.COLUMNS, cells)
        .labelled(lane -> "lane " + lane, column -> "" + column);
  }
}
