package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

/** The colours that a reader of an SVG document sees, by light and in the dark. */
class SvgColourTest {
  private static final double READABLE = 4.5;

  /** Cells of no colour and of the colours 0 to 39, with an index beside and a note below. */
  private static SvgPage page() {
    var cells = LongStream.range(-1, 40).mapToObj(colour -> Cell.of(0, (int) colour + 1, colour, "7")).toList();
    return SvgPage.parse(Picture.of("t", Panel.of("a", 1, 41, cells).noted("b")).toSvg());
  }

  private static String fill(SvgPage page, Element cell, String name, boolean dark) {
    return page.style(SvgPage.elements(cell, name).getFirst(), "fill", dark);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void labelsCanBeReadOnTheirCells(boolean dark) {
    var page = page();
    for (var cell : page.elements("g")) {
      var rect = fill(page, cell, "rect", dark);
      assertTrue(Wcag.contrast(rect, fill(page, cell, "text", dark)) >= READABLE, rect);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void otherWordsCanBeReadOnThePaper(boolean dark) {
    var page = page();
    var paper = page.style(page.root(), "background", dark);
    var words = page.elements("text").stream().filter(text -> !text.getAttribute("class").contains("cell")).toList();
    assertTrue(words.size() > 3);
    for (var text : words) {
      assertTrue(Wcag.contrast(paper, page.style(text, "fill", dark)) >= READABLE, text.getTextContent());
    }
  }

  /** A browser that is told nothing paints white behind a document, whatever the reader's setting. */
  @Test
  void aDocumentTellsTheBrowserThatItIsMadeForBothSettings() {
    var page = page();
    assertEquals("light dark", page.style(page.root(), "color-scheme", false));
    assertTrue(Wcag.contrast("fff", page.style(page.root(), "background", true)) > 15);
    assertEquals("#fff", page.style(page.root(), "background", false));
  }

  @Test
  void thirtyTwoColoursDifferAndThenBeginAgain() {
    var page = page();
    var fills = page.elements("g").stream().skip(1).map(cell -> fill(page, cell, "rect", false)).toList();
    assertEquals(32, fills.stream().distinct().count());
    IntStream.range(32, 40).forEach(i -> assertEquals(fills.get(i - 32), fills.get(i)));
  }

  @Test
  void cellsOfNoColourAreFaint() {
    var page = page();
    var plain = page.elements("g").getFirst();
    assertTrue(Wcag.contrast("fff", fill(page, plain, "rect", false)) < 1.2);
    assertTrue(Wcag.contrast("16181b", fill(page, plain, "rect", true)) < 1.2);
  }

  /** The style names only what is there: a drawing of thousands of cells stays small. */
  @Test
  void onlyUsedColoursAreDefined() {
    var drawing = new Drawing(9, 9, "");
    for (var colour : List.of(35L, -1L, 3L, 0L)) drawing.cell(0, 0, 9, 9, Cell.of(0, 0, colour, ""));
    var classes = SvgPage.parse(drawing.toSvg()).elements("style").getFirst().getTextContent().lines()
        .filter(line -> line.contains("rect.c")).count();
    assertEquals(2, classes);
  }
}
