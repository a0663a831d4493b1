package tilewright.layout.draw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/** Where the coordinates of a shape go: the first mode down, all others across; one mode is one row. */
final class Grid {
  /** Cells of a picture at most: 128 by 128. */
  static final long LARGEST = 1 << 14;

  private final IntTuple shape;
  private final int rows;
  private final int columns;
  /** Parts of coordinates, as text: thousands of cells share them. */
  private final List<String> alongRows;
  private final List<String> alongColumns;

  private Grid(IntTuple shape, int rows, int columns) {
    this.shape = shape;
    this.rows = rows;
    this.columns = columns;
    var coordinates = Layout.columnMajor(shape);
    var split = shape.rank() > 1;
    this.alongRows = IntStream.range(0, rows)
        .mapToObj(row -> split ? "(" + coordinates.coordinate(row).mode(0) + "," : "").toList();
    this.alongColumns = IntStream.range(0, columns).mapToObj(column -> coordinates.coordinate((long) column * rows))
        .map(at -> split ? at.modes().stream().skip(1).map(IntTuple::toString).collect(Collectors.joining(",", "", ")"))
            : at.toString()).toList();
  }

  /**
   * @param what has the shape, for the message
   * @throws IllegalArgumentException if the shape has no cells, or more than a picture can show
   */
  static Grid of(Object what, IntTuple shape) {
    var size = shape.size();
    if (size < 1 || size > LARGEST) {
      throw new IllegalArgumentException(what + " has " + size + " elements; a picture shows 1 to " + LARGEST
          + ": draw a tile of it");
    }
    var rows = shape.rank() < 2 ? 1 : Math.toIntExact(shape.mode(0).size());
    return new Grid(shape, rows, Math.toIntExact(size / rows));
  }

  int size() {
    return rows * columns;
  }

  int row(int index) {
    return index % rows;
  }

  int column(int index) {
    return index / rows;
  }

  /** Coordinate and index as a reader is told them. */
  String place(int index) {
    return "coordinate " + alongRows.get(row(index)) + alongColumns.get(column(index)) + ", index " + index;
  }

  /** A panel with lines where modes of a nested shape are complete. */
  Panel panel(String title, List<Cell> cells, String note) {
    return new Panel(title, Panel.numbered(rows), Panel.numbered(columns), cells, rowRules(), columnRules(), note);
  }

  private List<Rule> rowRules() {
    return shape.rank() < 2 ? List.of() : Rule.of(shape.mode(0).flatten());
  }

  private List<Rule> columnRules() {
    var modes = shape.modes();
    var across = modes.size() < 2 ? modes : modes.subList(1, modes.size());
    return Rule.of(across.stream().flatMapToLong(IntTuple::leaves).toArray());
  }

  /** One cell for each index, row by row as one reads. */
  List<Cell> cells(Content content) {
    var cells = new ArrayList<Cell>();
    for (var row = 0; row < rows; row++) {
      for (var column = 0; column < columns; column++) cells.add(content.at(column * rows + row));
    }
    return cells;
  }

  Cell cell(int index, long colour, boolean marked, String hover, String... lines) {
    return new Cell(row(index), column(index), 1, colour, Arrays.asList(lines), marked, place(index) + ": " + hover);
  }

  interface Content {
    Cell at(int index);
  }
}
