package tilewright.layout.draw;

import java.util.Set;
import tilewright.layout.OffsetMap;
import tilewright.layout.bank.BankGeometry;

/** Where elements begin in shared memory. */
final class BankPanels {
  private BankPanels() {}

  static Panel banks(String title, OffsetMap map, int elementBytes, Set<Long> marked) {
    if (elementBytes < 1) {
      throw new IllegalArgumentException("an element of " + elementBytes + " bytes is none: give 1 or more");
    }
    var memory = BankGeometry.SHARED_MEMORY;
    var grid = Grid.of(map, map.shape());
    return grid.panel(title, grid.cells(index -> {
      var offset = map.apply(index);
      var at = Math.multiplyExact(offset, (long) elementBytes);
      var bank = memory.bank(at);
      return grid.cell(index, Palette.grouped(bank), marked.contains((long) index), "offset " + offset + ", byte " + at + ", bank " + bank,
          Integer.toString(bank));
    }), memory.banks() + " banks of " + memory.wordBytes() + " bytes; an element has " + elementBytes);
  }
}
