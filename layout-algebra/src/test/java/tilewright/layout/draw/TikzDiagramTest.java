package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Boxes, frames, lines, arrows and text in TikZ. */
class TikzDiagramTest {
  private static TikzSource source(Drawing drawing) {
    return new TikzSource(drawing.toTikz());
  }

  /** The middle of the box is at (60, 70); lines are 16 apart. */
  @Test
  void linesOfABoxAreAroundItsMiddleAndTheFirstIsLarger() {
    var source = source(new Drawing(200, 200, "").box(10, 20, 100, 100, "a", "b", "c"));
    assertEquals(List.of(new TikzSource.Line(Set.of("draw=gray", "fill=gray!8"), "rectangle",
        List.of(10, 20, 110, 120))), source.lines());
    assertEquals(List.of(new TikzSource.Node(Set.of(""), 60, 54, "a"),
        new TikzSource.Node(Set.of("small"), 60, 70, "b"), new TikzSource.Node(Set.of("small"), 60, 86, "c")),
        source.nodes());
  }

  @Test
  void aFrameIsAHeavyBorder() {
    assertEquals(List.of(new TikzSource.Line(Set.of("draw", "line width=1.6pt"), "rectangle", List.of(1, 2, 31, 42))),
        source(new Drawing(50, 50, "").frame(1, 2, 30, 40)).lines());
  }

  /** Three pixels are two points and a quarter. */
  @Test
  void linesAndRulesGoFromTheirFirstToTheirLastPoint() {
    var drawing = new Drawing(50, 50, "").line(1, 2, 30, 40);
    drawing.rule(5, 6, 5, 46, 3);
    assertEquals(List.of(new TikzSource.Line(Set.of("gray"), "--", List.of(1, 2, 30, 40)),
        new TikzSource.Line(Set.of("line width=2.25pt"), "--", List.of(5, 6, 5, 46))), source(drawing).lines());
  }

  @Test
  void anArrowGoesSidewaysFirst() {
    assertEquals(List.of(new TikzSource.Line(Set.of("gray", "-{Triangle}"), "-|", List.of(30, 30, 60, 80))),
        source(new Drawing(99, 99, "").arrow(30, 30, 60, 80)).lines());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"''|''", "small|small", "axis|small", "title|anchor=west",
      "title small|anchor=west,small"})
  void titlesBeginAtTheirPlaceAndOtherTextIsAroundIt(String style, String expected) {
    var nodes = source(new Drawing(50, 50, "").text(5, 6, style, "a")).nodes();
    assertEquals(List.of(new TikzSource.Node(Set.of(expected.split(",")), 5, 6, "a")), nodes);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {"_{}#$&%|\\_\\{\\}\\#\\$\\&\\%",
      "a<b>c|a\\textless{}b\\textgreater{}c", "\\|\\textbackslash{}", "x^y~z|x\\textasciicircum{}y\\textasciitilde{}z",
      "a∘b|a$\\circ$b", "a→b|a$\\to$b", "a⊕b|a$\\oplus$b", "4×8|4$\\times$8"})
  void charactersThatLatexReadsAsCommandsAreWrittenOut(String text, String expected) {
    assertEquals(expected, source(new Drawing(50, 50, "").text(5, 6, "", text)).nodes().getFirst().text());
  }

  @Test
  void theTitleIsACommentOfOneLine() {
    assertTrue(new Drawing(9, 9, "a\nb").toTikz().lines().anyMatch("% a b"::equals));
  }
}
