package tilewright.layout;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A layout as a table of offsets: the first mode goes down, all others go across; a layout of one mode is one row. */
public final class LayoutGrid {
  private static final long LARGEST = 1 << 14;
  private static final int CELL_HEIGHT = 24;
  private static final int MARGIN = 34;
  private static final int COLOURS = 8;

  private final OffsetMap map;
  private final long[][] offsets;

  private LayoutGrid(OffsetMap map, long[][] offsets) {
    this.map = map;
    this.offsets = offsets;
  }

  /** @throws IllegalArgumentException if the layout has no cells, or more than a picture can show */
  public static LayoutGrid of(OffsetMap map) {
    if (map.size() < 1 || map.size() > LARGEST) {
      throw new IllegalArgumentException(map + " has " + map.size() + " elements; a picture shows 1 to " + LARGEST);
    }
    var across = map.rank() < 2;
    var rows = across ? 1 : Math.toIntExact(map.shape().mode(0).size());
    var columns = Math.toIntExact(map.size() / rows);
    var offsets = new long[rows][columns];
    for (var row = 0; row < rows; row++) {
      for (var column = 0; column < columns; column++) offsets[row][column] = map.apply((long) column * rows + row);
    }
    return new LayoutGrid(map, offsets);
  }

  private int rows() {
    return offsets.length;
  }

  private int columns() {
    return offsets[0].length;
  }

  private int digits() {
    return Arrays.stream(offsets).flatMapToLong(Arrays::stream).mapToInt(offset -> Long.toString(offset).length())
        .max().orElse(1);
  }

  /** Right-aligned offsets, coordinates of the first mode on the left, of the others on top. */
  public String toText() {
    var width = Math.max(digits(), Integer.toString(columns() - 1).length()) + 1;
    var margin = Integer.toString(rows() - 1).length();
    var cell = "%" + width + "s";
    var header = " ".repeat(margin + 2) + IntStream.range(0, columns()).mapToObj(cell::formatted)
        .collect(Collectors.joining());
    var rule = " ".repeat(margin + 1) + "+" + "-".repeat(width * columns());
    var lines = IntStream.range(0, rows()).mapToObj(row -> ("%" + margin + "d |").formatted(row)
        + Arrays.stream(offsets[row]).mapToObj(cell::formatted).collect(Collectors.joining()));
    return map + "\n" + header + "\n" + rule + "\n" + lines.collect(Collectors.joining("\n"));
  }

  /** A drawing that needs nothing else: cells coloured by offset modulo eight, readable on light and dark pages. */
  public String toSvg() {
    var cellWidth = 14 + 8 * digits();
    var width = MARGIN + cellWidth * columns() + 10;
    var height = 2 * MARGIN + CELL_HEIGHT * rows() + 10;
    var svg = new StringBuilder("""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d"
            role="img" aria-label="%3$s">
        <style>
        text { font: 12px ui-monospace, monospace; fill: #6a7178; text-anchor: middle; dominant-baseline: central }
        text.title { text-anchor: start } text.offset { fill: #14171a } rect { stroke: #8a9299; stroke-width: 1 }
        </style>
        """.formatted(width, height, escaped(map.toString())));
    svg.append("<text class=\"title\" x=\"4\" y=\"16\">%s</text>%n".formatted(escaped(map.toString())));
    for (var column = 0; column < columns(); column++) {
      var x = MARGIN + column * cellWidth + cellWidth / 2;
      svg.append("<text x=\"%d\" y=\"%d\">%d</text>%n".formatted(x, MARGIN + 20, column));
    }
    for (var row = 0; row < rows(); row++) {
      var y = 2 * MARGIN + row * CELL_HEIGHT;
      svg.append("<text x=\"%d\" y=\"%d\">%d</text>%n".formatted(MARGIN / 2, y + CELL_HEIGHT / 2, row));
      for (var column = 0; column < columns(); column++) {
        cell(svg, MARGIN + column * cellWidth, y, cellWidth, offsets[row][column]);
      }
    }
    return svg.append("</svg>\n").toString().replace("\r", "");
  }

  private static void cell(StringBuilder svg, int x, int y, int width, long offset) {
    var hue = 360 / COLOURS * Math.floorMod(offset, COLOURS);
    svg.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"hsl(%d 65%% 78%%)\"/>%n"
        .formatted(x, y, width, CELL_HEIGHT, hue));
    svg.append("<text class=\"offset\" x=\"%d\" y=\"%d\">%d</text>%n"
        .formatted(x + width / 2, y + CELL_HEIGHT / 2, offset));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }
}
