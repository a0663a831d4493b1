package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Swizzle;
import tilewright.layout.Tiler;

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

  /** mma.m16n8k8 of TF32, operand A as the PTX ISA shows it: lane / 4 is the row, lane % 4 the column. */
  @Test
  void threadsAndValuesStandAtTheElementsThatTheyHold() {
    var cells = cells(Pictures.threadValues(Layout.parse("((4,8),(2,2)):((16,1),(8,64))"), IntTuple.flat(16, 8)));
    for (int lane = 0; lane < 32; lane++) {
      for (int value = 0; value < 4; value++) {
        var cell = cells.get(List.of(lane / 4 + 8 * (value % 2), lane % 4 + 4 * (value / 2)));
        assertEquals(List.of("T" + lane, "V" + value), cell.lines());
        assertEquals(lane, cell.colour());
      }
    }
  }

  @Test
  void elementsOfNoThreadAndOfSeveralAreShownAsSuch() {
    var cells = cells(Pictures.threadValues(Layout.parse("(4,2):(0,1)"), IntTuple.flat(3, 1)));
    assertEquals("T0V0+3", cells.get(List.of(0, 0)).label());
    assertTrue(cells.get(List.of(1, 0)).hover().contains("thread 3 value 1"));
    assertEquals(Cell.PLAIN, cells.get(List.of(2, 0)).colour());
  }

  @Test
  void aThreadOutsideTheTileIsAnError() {
    var layout = Layout.parse("(4,2):(1,4)");
    var tile = IntTuple.flat(7, 1);
    var e = assertThrows(IllegalArgumentException.class, () -> Pictures.threadValues(layout, tile));
    assertTrue(e.getMessage().contains("value 1 of thread 3 is at index 7, outside the tile (7,1)"), e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> Pictures.threadValues(Layout.parse("4:1"), tile));
  }

  @Test
  void banksAreFourBytesEachAndThirtyTwo() {
    var cells = cells(Pictures.banks(Layout.parse("(4,64):(64,1)"), 2));
    for (int row = 0; row < 4; row++) {
      for (int column = 0; column < 64; column++) {
        assertEquals((row * 128 + column * 2) / 4 % 32 + "", cells.get(List.of(row, column)).label());
      }
    }
    assertThrows(IllegalArgumentException.class, () -> Pictures.banks(Layout.parse("4:1"), 0));
  }

  @Test
  void aSwizzleShowsWhereEachUnitGoes() {
    var picture = Pictures.swizzle(new Swizzle(2, 3, 2));
    var before = cells(Picture.of("", picture.panels().getFirst()));
    var after = cells(Picture.of("", picture.panels().getLast()));
    for (int row = 0; row < 4; row++) {
      for (int column = 0; column < 4; column++) {
        assertEquals(4 * row + column + "", before.get(List.of(row, column)).label());
        assertEquals(4 * row + (column ^ row) + "", after.get(List.of(row, column)).label());
      }
    }
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

  @Test
  void refusesPicturesThatNobodyCouldRead() {
    var layout = Layout.parse("(4096,4096):(1,4096)");
    var e = assertThrows(IllegalArgumentException.class, () -> Pictures.offsets(layout));
    assertTrue(e.getMessage().contains("a picture shows 1 to 16384"), e.getMessage());
  }

  @Test
  void coloursCanBeToldApartAndLabelsRead() {
    for (int i = 0; i < Palette.COLOURS; i++) {
      var colour = Palette.colour(i);
      assertTrue(Palette.contrast(colour, Palette.textOn(colour)) >= 4.5, Palette.hex(colour));
      for (int j = 0; j < i; j++) assertNotEquals(colour, Palette.colour(j));
    }
    assertEquals(32, LongStream.range(0, 32).map(Palette::grouped).distinct().count());
    assertEquals(21, Palette.contrast(0, 0xFFFFFF), 1e-9);
  }

  private static Map<List<Integer>, Cell> cells(Picture picture) {
    var cells = new HashMap<List<Integer>, Cell>();
    for (var cell : picture.panels().getFirst().cells()) {
      assertNull(cells.put(List.of(cell.row(), cell.column()), cell), "one cell a place");
    }
    return cells;
  }
}
