package tilewright.layout.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.f2.Swizzle;

/** A swizzle exchanges the units of one of its blocks by XOR of row and column. */
class SwizzlePanelsTest {

  /** Downwards, the row moves the column; upwards, the column moves the row. */
  @ParameterizedTest
  @CsvSource({"2,3,2", "1,0,3", "3,4,3", "2,1,-2", "1,2,-3", "0,3,2"})
  void aUnitMovesInItsRowOrInItsColumn(int bits, int base, int shift) {
    var columns = 1 << Math.abs(shift);
    var picture = Pictures.swizzle(new Swizzle(bits, base, shift));
    for (var panel : picture.panels()) {
      assertEquals(columns << bits, panel.cells().size());
      assertEquals("units of " + (1 << base) + " elements, coloured by column", panel.note());
    }
    for (var cell : picture.panels().getFirst().cells()) {
      assertEquals(cell.row() * columns + cell.column() + "", cell.label());
      assertEquals(cell.column(), cell.colour());
    }
    for (var cell : picture.panels().getLast().cells()) {
      var row = shift > 0 ? cell.row() : cell.row() ^ cell.column() & (1 << bits) - 1;
      var column = shift > 0 ? cell.column() ^ cell.row() : cell.column();
      assertEquals(row * columns + column + "", cell.label());
      assertEquals(column, cell.colour());
    }
  }
}
