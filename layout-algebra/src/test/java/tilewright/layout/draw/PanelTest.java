package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PanelTest {
  private static Cell wide(int row, int column, int columns) {
    return new Cell(row, column, columns, 0, List.of("a"), false, "");
  }

  @Test
  void cellsUpToTheLastRowAndColumnLieInside() {
    var cells = List.of(wide(0, 0, 3), wide(1, 1, 2), wide(1, 0, 1));
    assertEquals(cells, Panel.of("", 2, 3, cells).cells());
  }

  @ParameterizedTest
  @CsvSource({"2,0,1", "0,3,1", "0,2,2", "0,0,4"})
  void cellsBeyondARowOrColumnAreRefused(int row, int column, int columns) {
    var cells = List.of(wide(row, column, columns));
    var e = assertThrows(IllegalArgumentException.class, () -> Panel.of("", 2, 3, cells));
    assertTrue(e.getMessage().contains("row " + row + ", column " + column + " lies outside a panel of 2 rows and 3"),
        e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"0,0,1", "0,1,1", "0,2,2"})
  void cellsOverOneAnotherAreRefused(int row, int column, int columns) {
    var cells = List.of(wide(0, 0, 3), wide(row, column, columns));
    var e = assertThrows(IllegalArgumentException.class, () -> Panel.of("", 2, 4, cells));
    assertEquals("two cells of a panel cover row 0, column " + column + ": give each place one", e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"-1,0,1", "0,-1,1", "0,0,0"})
  void cellsThatBeginNowhereOrCoverNothingAreRefused(int row, int column, int columns) {
    assertThrows(IllegalArgumentException.class, () -> wide(row, column, columns));
  }

  @Test
  void otherLabelsAndANoteLeaveTheRest() {
    var rules = List.of(new Rule(1, 1));
    var panel = new Panel("t", Panel.numbered(2), Panel.numbered(2), List.of(wide(0, 0, 1)), rules, rules, "");
    var changed = panel.labelled(row -> "r" + row, column -> "c" + column).noted("below");
    assertEquals(new Panel("t", List.of("r0", "r1"), List.of("c0", "c1"), panel.cells(), rules, rules, "below"),
        changed);
  }
}
