package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/** Who holds each element of a tile. */
class ThreadValuesTest {
  private static List<Cell> cells(String layout, int rows, int columns) {
    return Pictures.threadValues(Layout.parse(layout), IntTuple.flat(rows, columns)).panels().getFirst().cells();
  }

  /** mma.m16n8k8 of TF32, operand A as the PTX ISA shows it: lane / 4 is the row, lane % 4 the column. */
  @Test
  void threadsAndValuesStandAtTheElementsThatTheyHold() {
    for (var cell : cells("((4,8),(2,2)):((16,1),(8,64))", 16, 8)) {
      var lane = cell.row() % 8 * 4 + cell.column() % 4;
      var value = cell.row() / 8 + cell.column() / 4 * 2;
      assertEquals(List.of("T" + lane, "V" + value), cell.lines());
      assertEquals(lane, cell.colour());
    }
  }

  @Test
  void elementsOfNoThreadAndOfSeveralAreShownAsSuch() {
    var cells = cells("(4,2):(0,1)", 3, 1);
    assertEquals("T0V0+3", cells.get(0).label());
    assertEquals("coordinate (1,0), index 1: thread 0 value 1, thread 1 value 1, thread 2 value 1, thread 3 value 1",
        cells.get(1).hover());
    assertEquals(Cell.PLAIN, cells.get(2).colour());
    assertEquals("coordinate (2,0), index 2: no thread", cells.get(2).hover());
  }

  @Test
  void aThreadOutsideTheTileIsAnError() {
    var e = assertThrows(IllegalArgumentException.class, () -> cells("(4,2):(1,4)", 7, 1));
    assertTrue(e.getMessage().contains("value 1 of thread 3 is at index 7, outside the tile (7,1)"), e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> cells("(4,2):(-1,4)", 8, 1));
  }

  @Test
  void aLayoutWithoutThreadsAndValuesIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> cells("4:1", 4, 1));
    assertThrows(IllegalArgumentException.class, () -> cells("(2,2,2):(1,2,4)", 8, 1));
  }

  /** 16384 owners are the most, even of a small tile. */
  @Test
  void moreOwnersThanAPictureShowsAreRefused() {
    assertEquals("T0V0+16383", cells("(128,128):(0,0)", 1, 1).getFirst().label());
    var e = assertThrows(IllegalArgumentException.class, () -> cells("(128,129):(0,0)", 1, 1));
    assertTrue(e.getMessage().contains("a picture shows at most 16384"), e.getMessage());
  }
}
