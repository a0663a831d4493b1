package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.bank.AccessPattern;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.xor.XorLayout;

/** What stands where, against the functions that layouts are. */
class PicturesTest {

  @Test
  void offsetsStandAtTheirCoordinates() {
    var cells = cells(Pictures.offsets(OffsetMap.parse("Sw<2,0,2>o0o(4,(2,2)):(4,(1,2))")));
    assertEquals(16, cells.size());
    for (int row = 0; row < 4; row++) {
      for (int column = 0; column < 4; column++) {
        assertEquals(4 * row + (column ^ row) + "", cells.get(List.of(row, column)).label());
      }
    }
  }

  @Test
  void nestedModesHaveLinesWhereTheyAreComplete() {
    var panel = Pictures.offsets(Layout.parse("((2,2,2),(4,2)):((1,2,4),(8,32))")).panels().getFirst();
    assertEquals(List.of(new Rule(2, 1), new Rule(4, 2), new Rule(6, 1)), panel.rowRules());
    assertEquals(List.of(new Rule(4, 1)), panel.columnRules());
  }

  @Test
  void aDivisionMarksItsFirstTileAndColoursEach() {
    // Rows 0 to 3 and columns 0 and 4 are the first tile of four by two.
    var cells = cells(Pictures.division(Layout.parse("(8,8):(8,1)"), Tiler.parse("[4:1;2:4]")));
    for (int row = 0; row < 8; row++) {
      for (int column = 0; column < 8; column++) {
        var cell = cells.get(List.of(row, column));
        assertEquals(8 * row + column + "", cell.label());
        assertEquals(row < 4 && column % 4 == 0, cell.marked());
        assertEquals(row / 4 + 2 * (column % 4), cell.colour());
      }
    }
  }

  @Test
  void aProductRepeatsItsTile() {
    var cells = cells(Pictures.product(Layout.parse("(2,2):(1,2)"), Layout.parse("(2,3):(3,1)")));
    assertEquals(24, cells.size());
    for (int row = 0; row < 4; row++) {
      for (int column = 0; column < 6; column++) {
        var repetition = row / 2 * 3 + column / 2;
        var cell = cells.get(List.of(row, column));
        assertEquals(row % 2 + 2 * (column % 2) + 4 * repetition + "", cell.label());
        assertEquals(repetition == 0, cell.marked());
      }
    }
  }

  @Test
  void coloursFollowAnElementThroughAComposition() {
    var picture = Pictures.composition(Layout.parse("(6,2):(8,2)"), Layout.parse("(4,3):(3,1)"));
    var inner = cells(Picture.of("", picture.panels().get(0)));
    var outer = cells(Picture.of("", picture.panels().get(1)));
    var composite = cells(Picture.of("", picture.panels().get(2)));
    for (int row = 0; row < 4; row++) {
      for (int column = 0; column < 3; column++) {
        var middle = 3 * row + column;
        assertEquals(middle, inner.get(List.of(row, column)).colour());
        var from = outer.get(List.of(middle % 6, middle / 6));
        assertEquals(middle, from.colour());
        assertEquals(middle, composite.get(List.of(row, column)).colour());
        assertEquals(from.label(), composite.get(List.of(row, column)).label());
      }
    }
  }

  private static Map<List<Integer>, Cell> cells(Picture picture) {
    var cells = new HashMap<List<Integer>, Cell>();
    for (var cell : picture.panels().getFirst().cells()) {
      assertNull(cells.put(List.of(cell.row(), cell.column()), cell), "one cell a place");
    }
    return cells;
  }

  @Test
  void xorLayoutsAreDrawnByTheirOffsets() {
    var cells = Pictures.offsets(XorLayout.parse("(4,4):(^1,^5)")).panels().getFirst().cells();
    for (var cell : cells) {
      int carryless = (cell.column() & 1) * 5 ^ (cell.column() >> 1) * 10;
      assertEquals("" + (cell.row() ^ carryless), cell.label());
    }
    assertEquals(16, cells.size());
  }

  @Test
  void equalCoordinatesHaveTheSameColour() {
    var cells = Pictures.offsets(CoordinateLayout.parse("(2,3):(1@0,0)")).panels().getFirst().cells();
    for (var cell : cells) assertEquals(cell.row(), cell.colour());
  }

  @Test
  void theLanesOfAnAccessAreMarked() {
    var memory = Layout.parse("(8,64):(64,1)");
    var picture = Pictures.banks(memory, 2, AccessPattern.matrices(memory, 1, 2));
    for (var cell : picture.panels().getFirst().cells()) assertEquals(cell.column() == 0, cell.marked());
    assertEquals("(8,64):(64,1): banks, ldmatrix.x1", picture.title());
  }

  @Test
  void hoverTextsNameTheCoordinateOfNestedModes() {
    for (var layout : List.of("((2,2),3,(2,2)):((1,2),4,(12,24))", "(4,6):(1,4)", "(2,(2,2)):(1,(2,4))", "6:1",
        "(6):(1)")) {
      var map = Layout.parse(layout);
      var rows = map.rank() < 2 ? 1 : map.shape().mode(0).size();
      for (var cell : Pictures.offsets(map).panels().getFirst().cells()) {
        var index = cell.row() + rows * cell.column();
        assertEquals("coordinate " + map.coordinate(index) + ", index " + index + ": offset " + index, cell.hover());
      }
    }
  }
}
