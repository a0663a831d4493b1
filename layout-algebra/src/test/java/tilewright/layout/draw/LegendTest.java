package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;

class LegendTest {
  @Test
  void offsetsHaveAKeyForEachColour() {
    var picture = Pictures.offsets(OffsetMap.parse("(4,4):(4,1)"));
    var keys = picture.legend().keys();
    assertEquals(List.of("0", "1", "2", "3", "4", "5", "6", "7"), keys.stream().map(Cell::label).toList());
    for (var cell : picture.panels().getFirst().cells()) {
      var key = keys.stream().filter(k -> k.colour() == cell.colour()).findFirst().orElseThrow();
      assertEquals(Long.parseLong(cell.label()) % 8, Long.parseLong(key.label()));
    }
    assertTrue(picture.toSvg().contains("number: offset; colour: offset mod 8"));
  }

  @Test
  void textHasNoColoursAndNoLegend() {
    assertFalse(Pictures.offsets(OffsetMap.parse("(4,4):(4,1)")).toText().contains("colour"));
  }

  @Test
  void aCompositionHasAnArrowAndAnEqualsSign() {
    var picture = Pictures.composition(Layout.parse("(4,4):(4,1)"), Layout.parse("(2,2):(1,4)"));
    assertEquals(List.of(Joint.ARROW, Joint.EQUALS), picture.joints());
    var arrows = picture.toDrawing().shapes().stream().filter(Shape.Arrow.class::isInstance).toList();
    assertEquals(1, arrows.size());
    assertTrue(picture.toSvg().contains(">=</text>"), picture.toSvg());
    assertTrue(picture.toTikz().contains("{Triangle}"), picture.toTikz());
  }

  @Test
  void theLegendLiesWithinTheDrawing() {
    var drawing = Pictures.offsets(OffsetMap.parse("(2,2):(1,2)")).toDrawing();
    for (var shape : drawing.shapes()) {
      if (shape instanceof Shape.Filled(var x, var y, var w, var h, var _)) {
        assertTrue(x + w <= drawing.width() && y + h <= drawing.height(), shape.toString());
      }
    }
  }
}
