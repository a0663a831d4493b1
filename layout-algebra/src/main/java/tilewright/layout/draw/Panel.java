package tilewright.layout.draw;

import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A table of cells. Places without a cell stay empty.
 *
 * @param title above it; empty for none
 * @param note below it; empty for none
 */
public record Panel(String title, List<String> rowLabels, List<String> columnLabels, List<Cell> cells,
    List<Rule> rowRules, List<Rule> columnRules, String note) {
  public Panel {
    rowLabels = List.copyOf(rowLabels);
    columnLabels = List.copyOf(columnLabels);
    cells = List.copyOf(cells);
    rowRules = List.copyOf(rowRules);
    columnRules = List.copyOf(columnRules);
    var covered = new BitSet(rowLabels.size() * columnLabels.size());
    for (var cell : cells) {
      if (cell.row() >= rowLabels.size() || cell.column() + cell.columns() > columnLabels.size()) {
        throw new IllegalArgumentException("the cell at row " + cell.row() + ", column " + cell.column()
            + " lies outside a panel of " + rowLabels.size() + " rows and " + columnLabels.size() + " columns");
      }
      for (var column = cell.column(); column < cell.column() + cell.columns(); column++) {
        var place = cell.row() * columnLabels.size() + column;
        if (covered.get(place)) {
          throw new IllegalArgumentException("two cells of a panel cover row " + cell.row() + ", column " + column
              + ": give each place one");
        }
        covered.set(place);
      }
    }
  }

  /** A panel whose rows and columns are numbered, without lines between them. */
  public static Panel of(String title, int rows, int columns, List<Cell> cells) {
    return new Panel(title, numbered(rows), numbered(columns), cells, List.of(), List.of(), "");
  }

  /** This panel with other labels of rows and columns, made from their numbers. */
  public Panel labelled(IntFunction<String> ofRow, IntFunction<String> ofColumn) {
    return new Panel(title, IntStream.range(0, rows()).mapToObj(ofRow).toList(),
        IntStream.range(0, columns()).mapToObj(ofColumn).toList(), cells, rowRules, columnRules, note);
  }

  /** This panel with a note below it. */
  public Panel noted(String below) {
    return new Panel(title, rowLabels, columnLabels, cells, rowRules, columnRules, below);
  }

  static List<String> numbered(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toList();
  }

  int rows() {
    return rowLabels.size();
  }

  int columns() {
    return columnLabels.size();
  }

  /** Characters that a column needs for the longest line of a label. */
  int columnCharacters() {
    return cells.stream().mapToInt(cell -> Math.ceilDiv(longest(cell.lines()), cell.columns())).max().orElse(1);
  }

  /** Lines that the tallest label has. */
  int labelLines() {
    return cells.stream().mapToInt(cell -> cell.lines().size()).max().orElse(1);
  }

  static int longest(List<String> labels) {
    return labels.stream().mapToInt(String::length).max().orElse(0);
  }
}
