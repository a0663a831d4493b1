package tilewright.layout.draw;

import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;

/** Tiles in the coordinates of what they divide, and repetitions of a tile. */
final class TilePanels {
  private TilePanels() {}

  static Panel division(OffsetMap map, Tiler tile) {
    var grid = Grid.of(map, map.shape());
    var tiles = TileNumbers.of(map.shape(), tile);
    return grid.panel("", grid.cells(index -> {
      var number = tiles[index];
      var offset = map.apply(index);
      return grid.cell(index, number, number == 0, "offset " + offset + ", tile " + number, "" + offset);
    }), "coloured by tile; marked: tile 0");
  }

  static Panel product(Layout tile, Layout repetitions) {
    var numbers = TileNumbers.ofValues(tile.logicalProduct(repetitions));
    var blocked = tile.rank() > 1 && tile.rank() == repetitions.rank();
    var product = blocked ? tile.blockedProduct(repetitions) : tile.logicalProduct(repetitions);
    var grid = Grid.of(product, product.shape());
    return grid.panel(product.toString(), grid.cells(index -> {
      var offset = product.apply(index);
      var number = numbers.get(offset);
      return grid.cell(index, number, number == 0, "offset " + offset + ", repetition " + number, "" + offset);
    }), "coloured by repetition; marked: repetition 0");
  }
}
