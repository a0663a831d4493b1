package tilewright.layout.draw;

import java.util.List;

/**
 * The content of one place of a panel.
 *
 * @param row from the top
 * @param column from the left
 * @param columns that it covers
 * @param colour a number, the same for what belongs together; negative for none
 * @param lines the label, one below the other
 * @param marked whether its border is heavy
 * @param hover what a reader is told who points at it
 */
public record Cell(int row, int column, int columns, long colour, List<String> lines, boolean marked, String hover) {
  /** The number of no colour. */
  public static final long PLAIN = -1;

  public Cell {
    lines = List.copyOf(lines);
    if (row < 0 || column < 0 || columns < 1) {
      throw new IllegalArgumentException("invalid cell at row " + row + ", column " + column + " over " + columns
          + " columns: it begins at 0 or later and covers 1 column or more");
    }
  }

  /** A cell of one column whose hover text is its label. */
  public static Cell of(int row, int column, long colour, String label) {
    return new Cell(row, column, 1, colour, List.of(label), false, label);
  }

  /** The label on one line. */
  String label() {
    return String.join("", lines);
  }
}
