package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** Boxes, frames, lines and arrows in SVG. */
class SvgDiagramTest {
  private static final Pattern COMMAND = Pattern.compile("([MLHVlhvz])([-\\d ]*)");

  private static SvgPage page(Drawing drawing) {
    return SvgPage.parse(drawing.toSvg());
  }

  /** The corners of a path, by the commands of SVG. */
  private static List<List<Integer>> corners(Element path) {
    var corners = new ArrayList<List<Integer>>();
    int x = 0;
    int y = 0;
    for (var match : COMMAND.matcher(path.getAttribute("d")).results().toList()) {
      var numbers = match.group(2).isBlank() ? new int[0]
          : Pattern.compile(" ").splitAsStream(match.group(2)).mapToInt(Integer::parseInt).toArray();
      switch (match.group(1)) {
        case "M", "L" -> {
          x = numbers[0];
          y = numbers[1];
        }
        case "l" -> {
          x += numbers[0];
          y += numbers[1];
        }
        case "H" -> x = numbers[0];
        case "h" -> x += numbers[0];
        case "V" -> y = numbers[0];
        case "v" -> y += numbers[0];
        default -> {
          continue;
        }
      }
      corners.add(List.of(x, y));
    }
    return corners;
  }

  /** The middle of the box is at (60, 70); lines are 16 apart. */
  @Test
  void linesOfABoxAreAroundItsMiddleAndTheFirstIsLarger() {
    var page = page(new Drawing(200, 200, "").box(10, 20, 100, 100, "a", "b", "c"));
    var rect = page.elements("rect").getFirst();
    assertEquals(List.of(10, 20, 100, 100), SvgPage.numbers(rect, "x", "y", "width", "height"));
    var texts = page.elements("text");
    assertEquals(List.of("a", "b", "c"), texts.stream().map(Element::getTextContent).toList());
    assertEquals(List.of(List.of(60, 54), List.of(60, 70), List.of(60, 86)),
        texts.stream().map(text -> SvgPage.numbers(text, "x", "y")).toList());
    assertFalse(texts.getFirst().hasAttribute("class"));
    assertEquals("10px", page.style(texts.get(1), "font-size", false));
    assertEquals("10px", page.style(texts.get(2), "font-size", false));
  }

  @Test
  void aFrameIsAHeavyBorder() {
    var page = page(new Drawing(50, 50, "").frame(1, 2, 30, 40));
    var rect = page.elements("rect").getFirst();
    assertEquals(List.of(1, 2, 30, 40), SvgPage.numbers(rect, "x", "y", "width", "height"));
    assertEquals("2.5", page.style(rect, "stroke-width", false));
    assertEquals("none", page.style(rect, "fill", false));
  }

  @Test
  void linesAndRulesGoFromTheirFirstToTheirLastPoint() {
    var drawing = new Drawing(50, 50, "").line(1, 2, 30, 40);
    drawing.rule(5, 6, 5, 46, 3);
    var paths = page(drawing).elements("path");
    assertEquals(List.of(List.of(1, 2), List.of(30, 40)), corners(paths.getFirst()));
    assertFalse(paths.getFirst().hasAttribute("class"));
    assertEquals(List.of(List.of(5, 6), List.of(5, 46)), corners(paths.getLast()));
    assertEquals("stroke-width:3", paths.getLast().getAttribute("style"));
  }

  /** The tip is an isosceles triangle, 7 long and 8 wide, whose apex is the end of the arrow. */
  @ParameterizedTest
  @CsvSource({"60,30, 53,26, 53,34", "0,30, 7,26, 7,34", "60,80, 56,73, 64,73", "30,0, 26,7, 34,7",
      "0,50, -4,43, 4,43", "30,30, 23,26, 23,34"})
  void anArrowGoesSidewaysFirstAndItsTipPointsWhereItEnds(int x, int y, int baseX, int baseY, int otherX, int otherY) {
    var page = page(new Drawing(100, 100, "").arrow(30, 30, x, y));
    var paths = page.elements("path");
    assertEquals(List.of(List.of(30, 30), List.of(x, 30), List.of(x, y)), corners(paths.getFirst()));
    assertEquals(List.of(List.of(x, y), List.of(baseX, baseY), List.of(otherX, otherY)), corners(paths.getLast()));
    assertEquals(page.style(paths.getFirst(), "stroke", false), page.style(paths.getLast(), "fill", false));
  }

  @Test
  void textHasItsStyle() {
    var page = page(new Drawing(50, 50, "").text(5, 6, "title small", "a").text(7, 8, "", "b"));
    var texts = page.elements("text");
    assertEquals(List.of(5, 6), SvgPage.numbers(texts.getFirst(), "x", "y"));
    assertEquals("start", page.style(texts.getFirst(), "text-anchor", false));
    assertEquals("10px", page.style(texts.getFirst(), "font-size", false));
    assertEquals("middle", page.style(texts.getLast(), "text-anchor", false));
  }

  @Test
  void theDocumentSaysItsSizeAndWhatItShows() {
    var root = page(new Drawing(123, 45, "a \"b\" & c")).root();
    assertEquals("0 0 123 45", root.getAttribute("viewBox"));
    assertEquals(List.of(123, 45), SvgPage.numbers(root, "width", "height"));
    assertEquals("a \"b\" & c", root.getAttribute("aria-label"));
  }
}
