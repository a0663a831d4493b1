package tilewright.cli.io;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table for terminals: columns as wide as their widest cell, two spaces between them. */
public final class TextTable {
  private static final String GAP = "  ";
  /** The width below which no column is made narrower. */
  private static final int NARROWEST = 12;

  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... header) {
    rows.add(List.of(header));
  }

  /** Adds a row of as many cells as the header has. */
  public void add(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException("the table has " + rows.getFirst().size() + " columns, the row "
          + cells.length);
    }
    rows.add(List.of(cells));
  }

  /** The table without a line break at its end. */
  @Override
  public String toString() {
    return text(Integer.MAX_VALUE, UnaryOperator.identity());
  }

  /**
   * The table for a reader: on a terminal no wider than that, with cells that continue on further lines, else each row
   * on one line.
   */
  public String toString(Terminal terminal) {
    return toString(terminal, UnaryOperator.identity());
  }

  /** @param style adds colours to a padded cell where the terminal shows any */
  public String toString(Terminal terminal, UnaryOperator<String> style) {
    return text(terminal.out() ? terminal.width() : Integer.MAX_VALUE,
        terminal.coloured() ? style : UnaryOperator.identity());
  }

  private String text(int width, UnaryOperator<String> style) {
    var widths = IntStream.range(0, rows.getFirst().size())
        .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0)).toArray();
    narrow(widths, width);
    return rows.stream().map(row -> line(row, widths, style)).collect(Collectors.joining("\n"));
  }

  /** Takes from the widest column until all of them fit, or none is wide. */
  private static void narrow(int[] widths, int width) {
    long over = IntStream.of(widths).sum() + (long) GAP.length() * (widths.length - 1) - width;
    for (; over > 0; over--) {
      int widest = IntStream.range(0, widths.length).reduce(0, (a, b) -> widths[b] > widths[a] ? b : a);
      if (widths[widest] <= NARROWEST) return;
      widths[widest]--;
    }
  }

  private static String line(List<String> row, int[] widths, UnaryOperator<String> style) {
    var cells = IntStream.range(0, widths.length).mapToObj(i -> parts(row.get(i), widths[i])).toList();
    int height = cells.stream().mapToInt(List::size).max().orElse(1);
    return IntStream.range(0, height).mapToObj(part -> IntStream.range(0, widths.length).mapToObj(column -> {
      var text = part < cells.get(column).size() ? cells.get(column).get(part) : "";
      boolean last = IntStream.range(column + 1, widths.length)
          .allMatch(i -> part >= cells.get(i).size() || cells.get(i).get(part).isEmpty());
      return style.apply(text) + (last ? "" : " ".repeat(widths[column] - text.length() + GAP.length()));
    }).collect(Collectors.joining()).stripTrailing()).collect(Collectors.joining("\n"));
  }

  /** Breaks a text at spaces, or where there is none in the middle of a word; joined, the parts are the text. */
  private static List<String> parts(String text, int width) {
    var parts = new ArrayList<String>();
    var rest = text;
    while (rest.length() > width) {
      int space = rest.lastIndexOf(' ', width);
      int end = space > 0 ? space : width;
      parts.add(rest.substring(0, end));
      rest = rest.substring(end).stripLeading();
    }
    parts.add(rest);
    return parts;
  }
}
