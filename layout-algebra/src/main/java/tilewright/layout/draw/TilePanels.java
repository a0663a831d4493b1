package tilewright.layout.draw;

import java.util.HashMap;
import java.util.Map;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;

/** Tiles in the coordinates of what they divide, and repetitions of a tile. */
final class TilePanels {
  private TilePanels() {}

  /** Dividing the layout of all indices says which tile an index lies in, whatever offsets it has. */
  static Panel division(OffsetMap map, Tiler tile) {
    var grid = Grid.of(map, map.shape());
    var divided = Layout.columnMajor(map.shape()).zippedDivide(tile);
    var tiles = numbers(divided);
    return grid.panel("", grid.cells(index -> {
      var number = tiles.get((long) index);
      var offset = map.apply(index);
      if (number == null) return grid.cell(index, Cell.PLAIN, false, "offset " + offset + ", in no tile", "" + offset);
      return grid.cell(index, number, number == 0, "offset " + offset + ", tile " + number, "" + offset);
    }), "coloured by tile; marked: tile 0");
  }

  static Panel product(Layout tile, Layout repetitions) {
    var numbers = numbers(tile.logicalProduct(repetitions));
    var blocked = tile.rank() > 1 && tile.rank() == repetitions.rank();
    var product = blocked ? tile.blockedProduct(repetitions) : tile.logicalProduct(repetitions);
    var grid = Grid.of(product, product.shape());
    return grid.panel(product.toString(), grid.cells(index -> {
      var offset = product.apply(index);
      var number = numbers.get(offset);
      return grid.cell(index, number, number == 0, "offset " + offset + ", repetition " + number, "" + offset);
    }), "coloured by repetition; marked: repetition 0");
  }

  /** For each value of a layout of two modes, the index of the second mode; the smallest where several have it. */
  private static Map<Long, Long> numbers(Layout pairs) {
    var first = pairs.shape().mode(0).size();
    var numbers = new HashMap<Long, Long>();
    for (long i = 0; i < pairs.size(); i++) numbers.putIfAbsent(pairs.apply(i), i / first);
    return numbers;
  }
}
