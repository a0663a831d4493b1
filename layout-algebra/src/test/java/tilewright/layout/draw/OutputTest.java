package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;

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

  @ParameterizedTest
  @MethodSource("pictures")
  void svgHasEveryCellWithItsLabelInsideTheDrawing(Picture picture) {
    checkCells(SvgPage.parse(picture.toSvg()), picture);
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void htmlHasTheSameCellsAndSaysWhatEachIs(Picture picture) {
    var page = SvgPage.parse(picture.toHtml());
    checkCells(page, picture);
    var told = cells(page).stream().map(g -> g.getElementsByTagName("title").item(0).getTextContent()).sorted();
    var hovers = picture.panels().stream().flatMap(panel -> panel.cells().stream()).map(Cell::hover).sorted();
    assertEquals(hovers.toList(), told.toList());
    assertFalse(Pattern.compile("https?://(?!www.w3.org/2000/svg)|src=|url\\(").matcher(picture.toHtml()).find(),
        "loads nothing");
  }

  /** The cells of the panels; the keys of a legend say nothing to a reader who points at them. */
  private static List<Element> cells(SvgPage document) {
    return document.elements("g").stream().filter(g -> g.getElementsByTagName("title").getLength() > 0).toList();
  }

  private static void checkCells(SvgPage document, Picture picture) {
    var drawing = picture.toDrawing();
    var texts = document.elements("text").stream().filter(text -> text.getAttribute("class").contains("cell"))
        .toList();
    assertEquals(labels(picture), texts.stream().map(Element::getTextContent).sorted().toList());
    var cells = cells(document);
    assertEquals(picture.panels().stream().mapToInt(panel -> panel.cells().size()).sum(), cells.size());
    for (var cell : cells) {
      var rect = (Element) cell.getElementsByTagName("rect").item(0);
      int left = SvgPage.number(rect, "x");
      int right = left + SvgPage.number(rect, "width");
      int bottom = SvgPage.number(rect, "y") + SvgPage.number(rect, "height");
      assertTrue(left >= 0 && right <= drawing.width() && bottom <= drawing.height(), rect.getAttribute("x"));
      var lines = cell.getElementsByTagName("text");
      for (int i = 0; i < lines.getLength(); i++) {
        var line = (Element) lines.item(i);
        assertTrue(left < SvgPage.number(line, "x") && SvgPage.number(line, "x") < right);
        assertTrue(SvgPage.number(rect, "y") < SvgPage.number(line, "y") && SvgPage.number(line, "y") < bottom);
        // A character of this type is 0.6 of its height wide.
        assertTrue(line.getTextContent().length() * 0.6 * drawing.cellFont() <= SvgPage.number(rect, "width"),
            line.getTextContent());
      }
    }
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
      var one = pictures().get(i);
      var other = pictures().get(i);
      assertEquals(one.toText(), other.toText());
      assertEquals(one.toSvg(), other.toSvg());
      assertEquals(one.toHtml(), other.toHtml());
      assertEquals(one.toTikz(), other.toTikz());
    }
  }
}
