package tilewright.cli.io;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table for terminals: columns as wide as their widest cell, two spaces between them. */
public final class TextTable {
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
    var widths = IntStream.range(0, rows.getFirst().size())
        .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0)).toArray();
    return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n"));
  }

  private static String line(List<String> row, int[] widths) {
    var line = new StringBuilder();
    for (var column = 0; column < widths.length; column++) {
      line.append(row.get(column)).repeat(' ', widths[column] - row.get(column).length() + 2);
    }
    return line.toString().stripTrailing();
  }
}
