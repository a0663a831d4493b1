package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** Which tile an element is coloured as, from its coordinate. */
class TilePanelsTest {
  private static List<Cell> division(String layout, String tiler) {
    return Pictures.division(Layout.parse(layout), Tiler.parse(tiler)).panels().getFirst().cells();
  }

  /** Tiles of whole rows and columns; one that overhangs its mode has fewer elements there and reaches no other. */
  @ParameterizedTest
  @CsvSource({"4,2,2,1", "4,2,3,1", "4,6,3,4", "7,5,2,3", "5,5,5,2", "3,4,8,2", "6,6,4,5"})
  void anElementIsInTheTileOfItsCoordinates(int rows, int columns, int high, int wide) {
    var layout = Layout.columnMajor(rows, columns);
    for (var cell : division(layout.toString(), "[" + high + ":1;" + wide + ":1]")) {
      var below = (rows + high - 1) / high;
      var tile = cell.row() / high + below * (cell.column() / wide);
      assertEquals(tile, cell.colour(), "row " + cell.row() + ", column " + cell.column());
      assertEquals(tile == 0, cell.marked());
    }
  }

  @Test
  void aTileOfOneModeLeavesTheOthersWhole() {
    for (var tiler : List.of("[2:1]", "[2:1;_]")) {
      for (var cell : division("(4,3):(3,1)", tiler)) {
        assertEquals(cell.row() / 2 + 2 * cell.column(), cell.colour());
        assertEquals(3 * cell.row() + cell.column() + "", cell.label());
        assertEquals("coordinate (" + cell.row() + "," + cell.column() + "), index " + (cell.row() + 4 * cell.column())
            + ": offset " + cell.label() + ", tile " + cell.colour(), cell.hover());
      }
    }
  }

  /** Every third of twelve elements is in the first tile, whatever their offsets. */
  @Test
  void aTileOfTheWholeDomainCountsIndices() {
    for (var cell : division("(6,2):(2,1)", "4:3")) {
      assertEquals((cell.row() + 6 * cell.column()) % 3, cell.colour());
    }
  }

  /** A tile of 5 of 8 elements and the 2 behind it that there are. */
  @Test
  void aTileThatOverhangsTheDomainEndsWithIt() {
    assertEquals(List.of(0L, 0L, 0L, 0L, 0L, 1L, 1L, 1L), division("8:1", "5:1").stream().map(Cell::colour).toList());
  }

  @Test
  void tilesOfNestedModesAreDividedInThem() {
    for (var cell : division("((4,2),3):((1,4),8)", "[[3:1;1:1];1:1]")) {
      var inner = cell.row() % 4 / 3;
      assertEquals(inner + 2 * (cell.row() / 4) + 4 * cell.column(), cell.colour());
    }
  }

  /** A tile of one mode goes down, its repetitions go across. */
  @Test
  void repetitionsOfAPlainTileAreColumns() {
    var cells = Pictures.product(Layout.parse("2:1"), Layout.parse("3:5")).panels().getFirst().cells();
    assertEquals(6, cells.size());
    for (var cell : cells) {
      assertEquals(cell.column(), cell.colour());
      assertEquals(cell.row() + 10 * cell.column() + "", cell.label());
      assertEquals(cell.column() == 0, cell.marked());
    }
  }

  @Test
  void repetitionsOfAnotherRankAreColumnsToo() {
    var cells = Pictures.product(Layout.parse("(2,2):(1,2)"), Layout.parse("3:1")).panels().getFirst().cells();
    for (var cell : cells) {
      assertEquals(cell.column(), cell.colour());
      assertEquals(cell.row() + 4 * cell.column() + "", cell.label());
    }
  }
}
