package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Cells in TikZ: a rectangle, and the lines of the label around its middle. */
class TikzCellTest {
  private static TikzSource source(int font, Cell... cells) {
    var drawing = new Drawing(200, 100, "", font);
    for (var cell : cells) drawing.cell(10, 20, 60, 50, cell);
    return new TikzSource(drawing.toTikz());
  }

  private static Cell cell(boolean marked, String... lines) {
    return new Cell(0, 0, 1, 0, List.of(lines), marked, "");
  }

  private static List<List<Integer>> places(TikzSource source) {
    return source.nodes().stream().map(node -> List.of(node.x(), node.y())).toList();
  }

  private static String after(String start, Set<String> style) {
    return style.stream().filter(part -> part.startsWith(start)).findFirst().orElseThrow().substring(start.length());
  }

  @Test
  void theRectangleIsWhereTheCellIs() {
    var line = source(12, cell(false, "7")).lines().getFirst();
    assertEquals("rectangle", line.kind());
    assertEquals(List.of(10, 20, 10 + 60, 20 + 50), line.points());
  }

  /** The middle is at (40, 45); lines are the height of type and two pixels apart. */
  @Test
  void linesOfALabelAreEvenlyAroundTheMiddle() {
    assertEquals(List.of(List.of(40, 45)), places(source(12, cell(false, "a"))));
    assertEquals(List.of(List.of(40, 38), List.of(40, 52)), places(source(12, cell(false, "a", "b"))));
    assertEquals(List.of(List.of(40, 31), List.of(40, 45), List.of(40, 59)),
        places(source(12, cell(false, "a", "b", "c"))));
    assertEquals(List.of(List.of(40, 41), List.of(40, 50)), places(source(7, cell(false, "a", "b"))));
    var labels = source(7, cell(false, "a", "b")).nodes().stream().map(TikzSource.Node::text);
    assertEquals(List.of("a", "b"), labels.toList());
  }

  /** A pixel is three quarters of a point. */
  @Test
  void typeHasTheHeightThatTheDrawingSays() {
    assertTrue(source(12).text().contains("cell/.style={font=\\ttfamily\\fontsize{9.0}{12}\\selectfont}"));
    assertTrue(source(7).text().contains("cell/.style={font=\\ttfamily\\fontsize{5.25}{7}\\selectfont}"));
    assertTrue(source(7, cell(false, "a")).nodes().getFirst().style().contains("cell"));
  }

  @Test
  void markedCellsHaveAHeavyBorder() {
    assertTrue(source(12, cell(true, "a")).lines().getFirst().style().containsAll(Set.of("draw", "line width=1.6pt")));
    var plain = source(12, cell(false, "a")).lines().getFirst().style();
    assertTrue(plain.contains("draw=gray") && !plain.contains("line width=1.6pt"), plain.toString());
  }

  @Test
  void labelsCanBeReadOnTheirCells() {
    var cells = LongStream.range(0, 40).mapToObj(colour -> Cell.of(0, 0, colour, "7")).toArray(Cell[]::new);
    var source = source(12, cells);
    var fills = new HashSet<String>();
    for (int i = 0; i < 40; i++) {
      var fill = source.colours().get(after("fill=", source.lines().get(i).style()));
      var text = source.colours().get(after("text=", source.nodes().get(i).style()));
      assertTrue(Wcag.contrast(fill, text) >= 4.5, fill);
      assertEquals(i < 32, fills.add(fill), "colours begin again after 32");
    }
  }

  @Test
  void eachColourAloneIsDefinedWithThatOfItsText() {
    for (var colour = 0; colour < 40; colour++) {
      assertEquals(2, source(12, Cell.of(0, 0, colour, "7")).colours().size());
    }
  }

  @Test
  void cellsOfNoColourAreFaintAndDefineNone() {
    var source = source(12, Cell.of(0, 0, Cell.PLAIN, "7"));
    assertTrue(source.colours().isEmpty());
    assertEquals(Set.of("draw=gray", "fill=gray!8"), source.lines().getFirst().style());
    assertEquals(Set.of("cell"), source.nodes().getFirst().style());
  }
}
