package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Swizzle;
import tilewright.layout.Tiler;

/** Every output, read back by a parser of its format. */
class OutputTest {
  private static final Pattern NODE = Pattern.compile("\\\\node\\[[^]]*cell[^]]*] at \\((\\d+),(\\d+)\\) \\{(.*)};");

  static List<Picture> pictures() {
    return List.of(Pictures.offsets(OffsetMap.parse("Sw<3,3,3>o0o(64,64):(64,1)")),
        Pictures.offsets(Layout.parse("((2,4),(2,2),3):((1,16),(2,8),64)")), Pictures.offsets(Layout.parse("7:-3")),
        Pictures.threadValues(Layout.parse("((4,8),(2,2)):((32,1),(16,8))"), IntTuple.flat(16, 8)),
        Pictures.banks(Layout.parse("(8,64):(64,1)"), 2), Pictures.swizzle(new Swizzle(3, 4, 3)),
        Pictures.division(Layout.parse("(8,16):(16,1)"), Tiler.parse("[4:1;2:8]")),
        Pictures.product(Layout.parse("(2,4):(4,1)"), Layout.parse("(3,2):(2,1)")),
        Pictures.composition(Layout.parse("(6,2):(8,2)"), Layout.parse("(4,3):(3,1)")));
  }

  private static List<String> labels(Picture picture) {
    return picture.panels().stream().flatMap(panel -> panel.cells().stream()).flatMap(cell -> cell.lines().stream())
        .sorted().toList();
  }

  private static Document parse(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
  }

  private static List<Element> elements(Document document, String name) {
    var nodes = document.getElementsByTagName(name);
    var elements = new ArrayList<Element>();
    for (int i = 0; i < nodes.getLength(); i++) elements.add((Element) nodes.item(i));
    return elements;
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void svgHasEveryCellWithItsLabelInsideTheDrawing(Picture picture) throws Exception {
    checkCells(parse(picture.toSvg()), picture);
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void htmlHasTheSameCellsAndSaysWhatEachIs(Picture picture) throws Exception {
    var page = parse(picture.toHtml().replace("<!DOCTYPE html>", ""));
    checkCells(page, picture);
    var told = elements(page, "g").stream().map(g -> g.getElementsByTagName("title").item(0).getTextContent()).sorted();
    var hovers = picture.panels().stream().flatMap(panel -> panel.cells().stream()).map(Cell::hover).sorted();
    assertEquals(hovers.toList(), told.toList());
    assertFalse(Pattern.compile("https?://(?!www.w3.org/2000/svg)|src=|url\\(").matcher(picture.toHtml()).find(),
        "loads nothing");
  }

  private static void checkCells(Document document, Picture picture) {
    var drawing = picture.toDrawing();
    var texts = elements(document, "text").stream().filter(text -> text.getAttribute("class").contains("cell"))
        .toList();
    assertEquals(labels(picture), texts.stream().map(Element::getTextContent).sorted().toList());
    var cells = elements(document, "g");
    assertEquals(picture.panels().stream().mapToInt(panel -> panel.cells().size()).sum(), cells.size());
    for (var cell : cells) {
      var rect = (Element) cell.getElementsByTagName("rect").item(0);
      int left = number(rect, "x");
      int right = left + number(rect, "width");
      int bottom = number(rect, "y") + number(rect, "height");
      assertTrue(left >= 0 && right <= drawing.width() && bottom <= drawing.height(), rect.getAttribute("x"));
      var lines = cell.getElementsByTagName("text");
      for (int i = 0; i < lines.getLength(); i++) {
        var line = (Element) lines.item(i);
        assertTrue(left < number(line, "x") && number(line, "x") < right);
        assertTrue(number(rect, "y") < number(line, "y") && number(line, "y") < bottom);
        // A character of this type is 0.6 of its height wide.
        assertTrue(line.getTextContent().length() * 0.6 * drawing.cellFont() <= number(rect, "width"),
            line.getTextContent());
      }
    }
  }

  private static int number(Element element, String attribute) {
    return Integer.parseInt(element.getAttribute(attribute));
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void tikzHasEveryLabelBetweenBalancedBraces(Picture picture) {
    var tex = picture.toTikz();
    int depth = 0;
    for (int i = 0; i < tex.length(); i++) {
      var escaped = i > 0 && tex.charAt(i - 1) == '\\';
      if (tex.charAt(i) == '{' && !escaped) depth++;
      if (tex.charAt(i) == '}' && !escaped) depth--;
      assertTrue(depth >= 0, "a brace closes nothing at " + i);
    }
    assertEquals(0, depth);
    assertEquals(count(tex, "\\begin{"), count(tex, "\\end{"));
    var shown = NODE.matcher(tex).results().map(match -> match.group(3)).sorted().toList();
    assertEquals(labels(picture), shown);
    for (var line : tex.split("\n")) assertFalse(line.startsWith("\\node") && line.contains("<"), line);
  }

  private static int count(String text, String part) {
    return (text.length() - text.replace(part, "").length()) / part.length();
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void textHasEveryLabelInLinesOfOneLength(Picture picture) {
    var lines = picture.toText().lines().toList();
    var words = new ArrayList<String>();
    for (var line : lines) {
      if (!line.matches(" *\\d+ \\|.*")) continue;
      for (var word : line.substring(line.indexOf('|')).split("[ |\\[\\]]+")) if (!word.isEmpty()) words.add(word);
    }
    var expected = picture.panels().stream().flatMap(panel -> panel.cells().stream()).map(Cell::label).sorted();
    assertEquals(expected.toList(), words.stream().sorted().toList());
  }

  @Test
  void equalPicturesGiveEqualOutputs() {
    for (int i = 0; i < pictures().size(); i++) {
      assertEquals(pictures().get(i).toHtml(), pictures().get(i).toHtml());
      assertEquals(pictures().get(i).toTikz(), pictures().get(i).toTikz());
    }
  }

  @Test
  void drawingsFollowTheReadersLightOrDarkSetting() {
    var svg = Pictures.offsets(Layout.parse("(2,2):(1,2)")).toSvg();
    assertTrue(svg.contains("@media (prefers-color-scheme: dark)"));
  }

  @Test
  void labelsOfAxesAreThinnedWhereTheyWouldMeet() throws Exception {
    var panel = Panel.of("", 1, 100, List.of()).labelled(row -> "r", column -> "column " + column);
    var axis = elements(parse(Picture.of("", panel).toSvg()), "text").stream()
        .filter(text -> text.getAttribute("class").equals("axis") && text.getTextContent().startsWith("c")).toList();
    assertTrue(axis.size() < 100);
    for (int i = 1; i < axis.size(); i++) {
      assertTrue(number(axis.get(i), "x") - number(axis.get(i - 1), "x") >= 6 * "column 99".length());
    }
  }

  @Test
  void aCellOverSeveralColumnsIsAsWideAsThey() throws Exception {
    var cells = List.of(new Cell(0, 0, 4, 0, List.of("wide"), false, "wide"), Cell.of(1, 3, 1, "x"));
    var picture = Picture.of("", Panel.of("", 2, 4, cells));
    var rects = elements(parse(picture.toSvg()), "rect");
    assertEquals(4 * number(rects.get(1), "width"), number(rects.get(0), "width"));
    assertTrue(picture.toText().contains(" . . .x") || picture.toText().contains(" . . . x"), picture.toText());
  }

  @Test
  void shapesOfDiagramsAreDrawnInBothFormats() throws Exception {
    var drawing = new Drawing(100, 50, "a <b>").box(0, 0, 20, 20, "A", "b").arrow(20, 10, 60, 10).line(1, 2, 3, 4)
        .frame(0, 0, 9, 9).arrow(0, 0, 5, 30).text(5, 5, "small", "100% & x_1 ∘");
    var svg = parse(drawing.toSvg());
    assertEquals("a <b>", svg.getDocumentElement().getAttribute("aria-label"));
    assertEquals(2, elements(svg, "rect").size());
    assertEquals(5, elements(svg, "path").size());
    assertEquals(List.of("A", "b", "100% & x_1 ∘"),
        elements(svg, "text").stream().map(Element::getTextContent).toList());
    var tex = drawing.toTikz();
    assertTrue(tex.contains("{100\\% \\& x\\_1 $\\circ$}"), tex);
    assertEquals(2, count(tex, "-{Triangle}"));
  }
}
