package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Panels beside each other, and the type that their number of rows and columns leaves room for. */
class SideBySideTest {
  private static Panel panel(int rows, int columns) {
    return Panel.of("", rows, columns, List.of(Cell.of(0, 0, 0, "a")));
  }

  /** A panel of n columns is 17 + 24 n pixels wide; 36 pixels lie between two, 8 around all. */
  @Test
  void panelsStandInOrderWithAGapBetweenThem() {
    var drawing = Picture.of("t", panel(1, 1), panel(3, 2), panel(1, 1)).toDrawing();
    var left = drawing.shapes().stream().filter(Shape.Filled.class::isInstance)
        .map(shape -> ((Shape.Filled) shape).x()).toList();
    assertEquals(List.of(8 + 17, 8 + 41 + 36 + 17, 8 + 41 + 36 + 65 + 36 + 17), left);
    assertEquals(8 + 41 + 36 + 65 + 36 + 41 + 8, drawing.width());
    assertEquals(8 + 26 + 20 + 3 * 24 + 8, drawing.height());
  }

  @Test
  void aPictureOfNothingHasItsTitle() {
    var drawing = Picture.of("t").toDrawing();
    assertEquals(List.of(new Shape.Text(8, 18, "title", "t")), drawing.shapes());
    assertEquals(8 + 8 + 8, drawing.width());
    assertEquals(8 + 26 + 8, drawing.height());
    assertEquals("t\n", Picture.of("t").toText());
  }

  @ParameterizedTest
  @CsvSource({"1,12", "16,12", "17,11", "32,11", "33,9", "64,9", "65,7", "128,7"})
  void theMoreRowsOrColumnsTheSmallerTheType(int most, int font) {
    assertEquals(font, Picture.of("t", panel(1, 1), panel(most, 2)).toDrawing().cellFont());
    assertEquals(font, Picture.of("t", panel(2, most), panel(1, 1)).toDrawing().cellFont());
  }
}
