package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Panels in characters; the tables are drawn by hand. */
class TextTableTest {
  private static final List<Rule> NONE = List.of();

  private static String table(String... lines) {
    return String.join("\n", lines) + "\n";
  }

  private static Cell cell(int row, int column, int columns, boolean marked, String... lines) {
    return new Cell(row, column, columns, 0, List.of(lines), marked, "");
  }

  private static Panel counting(int rows, int columns, List<Rule> rowRules, List<Rule> columnRules) {
    var cells = new ArrayList<Cell>();
    for (int i = 0; i < rows * columns; i++) cells.add(Cell.of(i / columns, i % columns, 0, "" + i));
    return new Panel("", Panel.numbered(rows), Panel.numbered(columns), cells, rowRules, columnRules, "");
  }

  @Test
  void aTableHasItsNumbersAboveAndBeside() {
    assertEquals(table(
        "    0 1 2",
        "  +------",
        "0 | 0 1 2",
        "1 | 3 4 5"), TextTable.of(counting(2, 3, NONE, NONE)));
  }

  @Test
  void titleAndNoteStandAboveAndBelow() {
    var panel = Panel.of("above", 1, 1, List.of(Cell.of(0, 0, 0, "7"))).noted("below");
    assertEquals(table("above", "    0", "  +--", "0 | 7", "below"), TextTable.of(panel));
  }

  @Test
  void columnsAreAsWideAsTheLongestLabelAndABlank() {
    var panel = Panel.of("", 11, 2, List.of(Cell.of(10, 1, 0, "-123"))).labelled(row -> "" + row, column -> "c");
    var lines = TextTable.of(panel).lines().toList();
    assertEquals("        c    c", lines.get(0));
    assertEquals("   +----------", lines.get(1));
    assertEquals(" 0 |    .    .", lines.get(2));
    assertEquals("10 |    . -123", lines.getLast());
  }

  @Test
  void longLabelsOfColumnsWidenThem() {
    var panel = Panel.of("", 1, 2, List.of()).labelled(row -> "", column -> "k" + 10 * column);
    assertEquals(table(
        "    k0 k10",
        " +--------",
        " |   .   ."), TextTable.of(panel));
  }

  @Test
  void linesStandWhereModesEnd() {
    assertEquals(table(
        "    0 1   2 3",
        "  +-----+----",
        "0 | 0 1 | 2 3",
        "  | - - + - -",
        "1 | 4 5 | 6 7"), TextTable.of(counting(2, 4, List.of(new Rule(1, 1)), List.of(new Rule(2, 1)))));
  }

  @Test
  void aLabelOfSeveralLinesIsOneAndMarkedOnesAreInBrackets() {
    var panel = Panel.of("", 1, 2, List.of(cell(0, 0, 1, true, "a", "b"), cell(0, 1, 1, false, "c", "d")));
    assertEquals(table("       0    1", "  +----------", "0 | [ab]   cd"), TextTable.of(panel));
  }

  /** The cell over three columns also covers the line after the second, but not the one at its right end. */
  @Test
  void aCellOverSeveralColumnsCoversTheLinesBetweenThem() {
    var cells = new ArrayList<>(List.of(cell(0, 0, 3, false, "abcde"), Cell.of(0, 3, 0, "x")));
    for (int column = 0; column < 4; column++) cells.add(Cell.of(1, column, 0, "" + column));
    var rules = List.of(new Rule(2, 1), new Rule(3, 1));
    var panel = new Panel("", Panel.numbered(2), Panel.numbered(4), cells, NONE, rules, "");
    assertEquals(table(
        "     0  1    2    3",
        "  +-------+----+---",
        "0 |      abcde |  x",
        "1 |  0  1 |  2 |  3"), TextTable.of(panel));
  }

  /** Every label of a large table ends where its column does. */
  @Test
  void columnsOfALargeTableAreAligned() {
    var lines = TextTable.of(counting(64, 64, NONE, List.of(new Rule(32, 1)))).lines().toList();
    for (int row = 0; row < 64; row++) {
      for (int column = 0; column < 64; column++) {
        // Labels have four digits at most; before the second half stands a line.
        var end = 4 + 5 * (column + 1) + (column < 32 ? 0 : 2);
        assertEquals(64 * row + column + "", lines.get(2 + row).substring(end - 5, end).strip());
      }
    }
  }
}
