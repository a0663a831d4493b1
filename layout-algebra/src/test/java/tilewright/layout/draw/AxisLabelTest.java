package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Labels of rows and columns: every second, fourth, … one where all would meet. */
class AxisLabelTest {
  private static List<Shape.Text> axis(Panel panel, char first) {
    return Picture.of("", panel).toDrawing().shapes().stream().filter(Shape.Text.class::isInstance)
        .map(Shape.Text.class::cast).filter(text -> text.text().indexOf(first) == 0).toList();
  }

  /** A label of n characters takes 6.2 n pixels rounded up, and 4 beside it; a column has 24 pixels. */
  @ParameterizedTest
  @CsvSource({"1,1", "3,1", "4,2", "7,2", "8,4", "14,4", "15,8"})
  void columnLabelsAreThinnedToTheLeastPowerOfTwoThatFits(int characters, int step) {
    var label = "c" + "x".repeat(characters - 1);
    var labels = axis(Panel.of("", 1, 16, List.of()).labelled(row -> "r", column -> label), 'c');
    var left = 8 + 7 + 10;
    assertEquals(IntStream.range(0, 16 / step).mapToObj(i -> left + 24 * step * i + 12).toList(),
        labels.stream().map(Shape.Text::x).toList());
  }

  @Test
  void thinnedLabelsOfAHundredColumnsDoNotMeet() {
    var labels = axis(Panel.of("", 1, 100, List.of()).labelled(row -> "r", column -> "column " + column), 'c');
    assertTrue(labels.size() < 100);
    for (int i = 1; i < labels.size(); i++) {
      assertTrue(labels.get(i).x() - labels.get(i - 1).x() >= 6.2 * "column 99".length());
    }
  }

  /** Rows of 65 cells without a label are 5 pixels high, and type is 10. */
  @Test
  void rowLabelsAreThinnedWhereRowsAreLowerThanType() {
    var bare = new Cell(0, 0, 1, 0, List.of(), false, "");
    var labels = axis(Panel.of("", 65, 1, List.of(bare)).labelled(row -> "r" + row, column -> ""), 'r');
    assertEquals(IntStream.rangeClosed(0, 32).mapToObj(i -> "r" + 2 * i).toList(),
        labels.stream().map(Shape.Text::text).toList());
    assertEquals(IntStream.rangeClosed(0, 32).mapToObj(i -> 54 + 10 * i + 2).toList(),
        labels.stream().map(Shape.Text::y).toList());
  }

  /** Rows of 16 cells without a label are as high as type: 10 pixels. */
  @Test
  void rowLabelsThatJustFitAreAllShown() {
    var bare = new Cell(0, 0, 1, 0, List.of(), false, "");
    assertEquals(16, axis(Panel.of("", 16, 1, List.of(bare)).labelled(row -> "r", column -> ""), 'r').size());
  }

  /** Three characters of 6.2 pixels are 19 wide, with 10 beside them: the middle is at 14 of 29. */
  @Test
  void rowLabelsAreCentredBesideTheirRows() {
    var labels = axis(Panel.of("", 2, 1, List.of()).labelled(row -> "r10", column -> ""), 'r');
    assertEquals(List.of(new Shape.Text(8 + 14, 54 + 12, "axis", "r10"),
        new Shape.Text(8 + 14, 54 + 24 + 12, "axis", "r10")), labels);
  }
}
