package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Where the parts of one panel go; all numbers are worked out by hand. */
class ArrangementTest {
  private static final int MARGIN = 8;
  private static final int PICTURE_TITLE = 26;
  private static final int LINE = 20;

  private static Cell cell(int row, int column, int columns, String... lines) {
    return new Cell(row, column, columns, 0, List.of(lines), false, "");
  }

  private static <S extends Shape> Stream<S> shapes(Drawing drawing, Class<S> kind) {
    return drawing.shapes().stream().filter(kind::isInstance).map(kind::cast);
  }

  /** Two rows of three digits: row labels of 7 pixels and 10 beside them, places of twice 12 pixels each way. */
  @Test
  void cellsAreAtTheirRowAndColumnTimesThePitch() {
    var cells = new ArrayList<Cell>();
    for (int i = 0; i < 6; i++) cells.add(cell(i / 3, i % 3, 1, "" + i));
    var drawing = Picture.of("t", Panel.of("", 2, 3, cells)).toDrawing();
    var left = MARGIN + 17;
    var top = MARGIN + PICTURE_TITLE + LINE;
    var expected = cells.stream().map(cell -> new Shape.Filled(left + 24 * cell.column(), top + 24 * cell.row(), 24, 24,
        cell)).toList();
    assertEquals(expected, shapes(drawing, Shape.Filled.class).toList());
    assertEquals(left + 3 * 24 + MARGIN, drawing.width());
    assertEquals(top + 2 * 24 + MARGIN, drawing.height());
    assertEquals(List.of(new Shape.Text(MARGIN, MARGIN + 10, "title", "t"),
        new Shape.Text(left + 12, top - 9, "axis", "0"), new Shape.Text(left + 36, top - 9, "axis", "1"),
        new Shape.Text(left + 60, top - 9, "axis", "2"), new Shape.Text(MARGIN + 8, top + 12, "axis", "0"),
        new Shape.Text(MARGIN + 8, top + 36, "axis", "1")), shapes(drawing, Shape.Text.class).toList());
  }

  /** Seven characters of 7.44 pixels are 53 wide, with 8 around them; two lines of 14 have 10 around them. */
  @Test
  void placesGrowWithTheLongestLineAndTheTallestLabel() {
    var cells = List.of(cell(0, 0, 1, "T10", "V3"), cell(1, 1, 1, "abcdefg"));
    var drawing = Picture.of("t", Panel.of("", 2, 2, cells)).toDrawing();
    assertEquals(List.of(new Shape.Filled(25, 54, 61, 38, cells.getFirst()),
        new Shape.Filled(25 + 61, 54 + 38, 61, 38, cells.getLast())), shapes(drawing, Shape.Filled.class).toList());
  }

  @Test
  void aCellOverThreeColumnsIsThreeTimesAsWide() {
    var cells = List.of(cell(0, 1, 3, "a"));
    var drawing = Picture.of("t", Panel.of("", 1, 4, cells)).toDrawing();
    assertEquals(List.of(new Shape.Filled(25 + 24, 54, 72, 24, cells.getFirst())),
        shapes(drawing, Shape.Filled.class).toList());
  }

  @Test
  void titleAndNoteOfAPanelEachTakeALine() {
    var panel = Panel.of("above", 2, 3, List.of()).noted("below");
    var drawing = Picture.of("t", panel).toDrawing();
    var y = MARGIN + PICTURE_TITLE;
    var top = y + LINE + LINE;
    var texts = shapes(drawing, Shape.Text.class).toList();
    assertEquals(new Shape.Text(25, y + 8, "title", "above"), texts.get(1));
    assertEquals(new Shape.Text(25 + 12, top - 9, "axis", "0"), texts.get(2));
    assertEquals(new Shape.Text(25, top + 2 * 24 + 14, "title small", "below"), texts.getLast());
    assertEquals(top + 2 * 24 + LINE + MARGIN, drawing.height());
  }

  /** 20 characters are 149 pixels in a title and 124 in a note: more than the one column of 24. */
  @Test
  void theDrawingIsAsWideAsItsLongestWords() {
    var words = "x".repeat(20);
    var titled = Picture.of("t", Panel.of(words, 1, 1, List.of())).toDrawing();
    assertEquals(25 + 149 + MARGIN, titled.width());
    var noted = Picture.of("t", Panel.of("", 1, 1, List.of()).noted(words)).toDrawing();
    assertEquals(25 + 124 + MARGIN, noted.width());
    var picture = Picture.of(words, Panel.of("", 1, 1, List.of())).toDrawing();
    assertEquals(MARGIN + 149 + MARGIN, picture.width());
  }

  @Test
  void rulesRunThroughTheWholePanelBeforeTheirRowOrColumn() {
    var panel = new Panel("", Panel.numbered(4), Panel.numbered(6), List.of(), List.of(new Rule(2, 1)),
        List.of(new Rule(3, 2), new Rule(5, 1)), "");
    var drawing = Picture.of("t", panel).toDrawing();
    assertEquals(List.of(new Shape.Rule(25 + 3 * 24, 54, 25 + 3 * 24, 54 + 4 * 24, 2),
        new Shape.Rule(25 + 5 * 24, 54, 25 + 5 * 24, 54 + 4 * 24, 1),
        new Shape.Rule(25, 54 + 2 * 24, 25 + 6 * 24, 54 + 2 * 24, 1)), shapes(drawing, Shape.Rule.class).toList());
  }

  @Test
  void heavyBordersAreDrawnAfterAllOthers() {
    var marked = new Cell(0, 0, 1, 0, List.of("a"), true, "");
    var plain = cell(0, 1, 1, "b");
    var drawing = Picture.of("t", Panel.of("", 1, 2, List.of(marked, plain))).toDrawing();
    assertEquals(List.of(plain, marked), shapes(drawing, Shape.Filled.class).map(Shape.Filled::cell).toList());
  }
}
