package tilewright.layout.draw;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** A panel in characters: labels right-aligned, marked ones in brackets, lines where modes end. */
final class TextTable {
  private static final String EMPTY = ".";

  private final Panel panel;
  private final int width;
  private final int margin;
  private final boolean[] ruled;
  private final StringBuilder text = new StringBuilder();

  private TextTable(Panel panel) {
    this.panel = panel;
    var labels = panel.cells().stream().mapToInt(cell -> Math.ceilDiv(label(cell).length(), cell.columns()));
    this.width = Math.max(labels.max().orElse(1), Panel.longest(panel.columnLabels())) + 1;
    this.margin = Panel.longest(panel.rowLabels());
    this.ruled = new boolean[panel.columns() + 1];
    panel.columnRules().forEach(rule -> ruled[rule.before()] = true);
  }

  static String of(Panel panel) {
    return new TextTable(panel).draw();
  }

  private String draw() {
    if (!panel.title().isEmpty()) text.append(panel.title()).append('\n');
    line(" ", "  ", column -> padded(panel.columnLabels().get(column), width));
    line("+", "-+", column -> "-".repeat(width));
    var places = places();
    for (var row = 0; row < panel.rows(); row++) {
      var before = row;
      if (panel.rowRules().stream().anyMatch(rule -> rule.before() == before)) {
        line("|", " +", column -> padded("-", width));
      }
      text.append(padded(panel.rowLabels().get(row), margin)).append(" |");
      cells(places[row]);
    }
    if (!panel.note().isEmpty()) text.append(panel.note()).append('\n');
    return text.toString();
  }

  private Cell[][] places() {
    var places = new Cell[panel.rows()][panel.columns()];
    for (var row : places) Arrays.setAll(row, column -> Cell.of(0, column, Cell.PLAIN, EMPTY));
    for (var cell : panel.cells()) places[cell.row()][cell.column()] = cell;
    return places;
  }

  private void line(String corner, String rule, IntFunction<String> place) {
    text.append(" ".repeat(margin + 1)).append(corner);
    for (var column = 0; column < panel.columns(); column++) {
      if (ruled[column]) text.append(rule);
      text.append(place.apply(column));
    }
    text.append('\n');
  }

  private void cells(Cell[] places) {
    for (var column = 0; column < places.length; column += places[column].columns()) {
      var cell = places[column];
      if (ruled[column]) text.append(" |");
      // A cell over several columns also covers the lines between them.
      var lines = (int) IntStream.range(column + 1, column + cell.columns()).filter(c -> ruled[c]).count();
      text.append(padded(label(cell), width * cell.columns() + 2 * lines));
    }
    text.append('\n');
  }

  private static String label(Cell cell) {
    return cell.marked() ? "[" + cell.label() + "]" : cell.label();
  }

  private static String padded(String label, int length) {
    return " ".repeat(length - label.length()) + label;
  }
}
