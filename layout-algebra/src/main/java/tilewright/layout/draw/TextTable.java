package tilewright.layout.draw;

import java.util.List;
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
    line(" ".repeat(margin + 2), panel.columnLabels(), "  ");
    separator("-");
    var places = new String[panel.rows()][panel.columns()];
    var spans = new int[panel.rows()][panel.columns()];
    for (var cell : panel.cells()) {
      places[cell.row()][cell.column()] = label(cell);
      for (var i = 1; i < cell.columns(); i++) spans[cell.row()][cell.column() + i] = 1;
      spans[cell.row()][cell.column()] = -cell.columns();
    }
    for (var row = 0; row < panel.rows(); row++) {
      var before = row;
      if (panel.rowRules().stream().anyMatch(rule -> rule.before() == before)) separator(" -");
      text.append(padded(panel.rowLabels().get(row), margin)).append(" |");
      cells(places[row], spans[row]);
      text.append('\n');
    }
    if (!panel.note().isEmpty()) text.append(panel.note()).append('\n');
    return text.toString();
  }

  private void cells(String[] labels, int[] spans) {
    for (var column = 0; column < labels.length; column++) {
      if (spans[column] > 0) continue;
      if (ruled[column]) text.append(" |");
      var covered = Math.max(1, -spans[column]);
      // A cell over several columns also covers the lines between them.
      var lines = (int) IntStream.range(column + 1, column + covered).filter(c -> ruled[c]).count();
      var label = labels[column] == null ? EMPTY : labels[column];
      text.append(padded(label, width * covered + 2 * lines));
    }
  }

  private void line(String start, List<String> labels, String between) {
    text.append(start);
    for (var column = 0; column < labels.size(); column++) {
      if (ruled[column]) text.append(between);
      text.append(padded(labels.get(column), width));
    }
    text.append('\n');
  }

  private void separator(String dash) {
    text.append(" ".repeat(margin + 1)).append(dash.length() == 1 ? "+" : "|");
    for (var column = 0; column < panel.columns(); column++) {
      if (ruled[column]) text.append(dash.length() == 1 ? "-+" : " +");
      text.append(dash.length() == 1 ? dash.repeat(width) : " ".repeat(width - 1) + "-");
    }
    text.append('\n');
  }

  private static String label(Cell cell) {
    return cell.marked() ? "[" + cell.label() + "]" : cell.label();
  }

  private static String padded(String label, int length) {
    return " ".repeat(Math.max(0, length - label.length())) + label;
  }
}
