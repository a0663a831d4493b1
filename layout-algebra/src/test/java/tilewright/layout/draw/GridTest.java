package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Layout;

/** Which coordinates go where, and where lines stand between them. */
class GridTest {
  private static Panel offsets(String layout) {
    return Pictures.offsets(Layout.parse(layout)).panels().getFirst();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"1:0|1|1", "7:2|1|7", "(4,3):(1,4)|4|3", "((2,3),2,5):((1,2),6,12)|6|10",
      "128:1|1|128", "(128,128):(1,128)|128|128"})
  void theFirstOfSeveralModesGoesDown(String layout, int rows, int columns) {
    var panel = offsets(layout);
    assertEquals(rows, panel.rowLabels().size());
    assertEquals(columns, panel.columnLabels().size());
    assertEquals(rows * columns, panel.cells().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"16385:1", "(128,129):(1,128)", "(4,0):(1,4)"})
  void nothingAndTooMuchAreRefused(String layout) {
    var e = assertThrows(IllegalArgumentException.class, () -> offsets(layout));
    assertTrue(e.getMessage().contains("a picture shows 1 to 16384"), e.getMessage());
  }

  @Test
  void aReaderIsToldCoordinateIndexAndOffset() {
    var cells = offsets("((2,2),3):((1,6),2)").cells();
    assertEquals("coordinate ((0,1),2), index 10: offset 10", cells.get(2 * 3 + 2).hover());
    assertEquals("coordinate ((1,1),0), index 3: offset 7", cells.get(3 * 3).hover());
  }

  @Test
  void offsetsAreColouredByTheirRemainderModuloEight() {
    var cells = offsets("20:-1").cells();
    assertEquals(LongStream.range(0, 20).map(i -> (8 * 3 - i) % 8).boxed().toList(),
        cells.stream().map(Cell::colour).toList());
  }

  /** A mode of one coordinate is no step between others; the fourth and further modes are as heavy as the third. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"4:1|''", "(2,2):(1,2)|2:1", "(2,1,2):(1,0,2)|2:1", "(1,4):(0,1)|''",
      "(4,1):(1,0)|''", "(3,2,2):(1,3,6)|3:1 6:2 9:1",
      "(2,2,2,2,2):(1,2,4,8,16)|2:1 4:2 6:1 8:3 10:1 12:2 14:1 16:3 18:1 20:2 22:1 24:3 26:1 28:2 30:1"})
  void linesAreHeavierWhereOuterModesStep(String mode, String lines) {
    var layout = Layout.of(Layout.parse(mode), Layout.of(1, 0));
    var rules = Pictures.offsets(layout).panels().getFirst().rowRules();
    assertEquals(lines.isEmpty() ? List.of() : List.of(lines.split(" ")),
        rules.stream().map(rule -> rule.before() + ":" + rule.weight()).toList());
  }
}
