package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** Cells in SVG: a group of a rectangle, the lines of the label around its middle, and what a reader is told. */
class SvgCellTest {
  private static SvgPage page(int font, Cell cell) {
    var drawing = new Drawing(200, 100, "", font);
    drawing.cell(10, 20, 60, 50, cell);
    return SvgPage.parse(drawing.toSvg());
  }

  private static Cell cell(boolean marked, String... lines) {
    return new Cell(0, 0, 1, 0, List.of(lines), marked, "a <b> & \"c\"");
  }

  private static List<List<Integer>> places(SvgPage page) {
    return page.elements("text").stream().map(text -> SvgPage.numbers(text, "x", "y")).toList();
  }

  @Test
  void theRectangleIsWhereTheCellIs() {
    var group = page(12, cell(false, "7")).elements("g").getFirst();
    var rect = SvgPage.elements(group, "rect").getFirst();
    assertEquals(List.of(10, 20, 60, 50), SvgPage.numbers(rect, "x", "y", "width", "height"));
    assertEquals("7", SvgPage.elements(group, "text").getFirst().getTextContent());
  }

  /** The middle is at (40, 45); lines are the height of type and two pixels apart. */
  @Test
  void linesOfALabelAreEvenlyAroundTheMiddle() {
    assertEquals(List.of(List.of(40, 45)), places(page(12, cell(false, "a"))));
    assertEquals(List.of(List.of(40, 38), List.of(40, 52)), places(page(12, cell(false, "a", "b"))));
    assertEquals(List.of(List.of(40, 31), List.of(40, 45), List.of(40, 59)),
        places(page(12, cell(false, "a", "b", "c"))));
    assertEquals(List.of(List.of(40, 41), List.of(40, 50)), places(page(7, cell(false, "a", "b"))));
  }

  @Test
  void typeHasTheHeightThatTheDrawingSays() {
    for (var font : List.of(7, 12)) {
      var page = page(font, cell(false, "a"));
      assertEquals(font + "px", page.style(page.elements("text").getFirst(), "font-size", false));
    }
  }

  @Test
  void theTitleOfACellIsWhatTheReaderIsTold() {
    assertEquals("a <b> & \"c\"", page(12, cell(false, "a")).elements("title").getFirst().getTextContent());
    assertTrue(page(12, new Cell(0, 0, 1, 0, List.of("a"), false, "")).elements("title").isEmpty());
  }

  @Test
  void markedCellsHaveAHeavyBorder() {
    assertEquals("2.5", border(page(12, cell(true, "a"))));
    assertEquals("1", border(page(12, cell(false, "a"))));
  }

  private static String border(SvgPage page) {
    Element rect = page.elements("rect").getFirst();
    return page.style(rect, "stroke-width", false);
  }
}
