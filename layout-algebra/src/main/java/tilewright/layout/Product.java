package tilewright.layout;

import java.util.ArrayList;

/** Products: a block, and copies of it where another layout says. */
final class Product {
  private Product() {}

  static Decision<Layout> logical(Layout block, Layout tiles) {
    long bound = Math.multiplyExact(block.size(), Math.max(1, tiles.cosize()));
    return switch (block.tryComplement(bound)) {
      case Decision.Undefined<Layout> undefined -> undefined.as(block + " ⊗ " + tiles);
      case Decision.Defined<Layout> complement -> switch (complement.result().tryComposition(tiles)) {
        case Decision.Undefined<Layout> undefined -> undefined.as(block + " ⊗ " + tiles);
        case Decision.Defined<Layout> copies ->
            new Decision.Defined<>(Layout.of(block, copies.result()), copies.certificate());
      };
    };
  }

  static Layout blocked(Layout block, Layout tiles) {
    return zipped(block, tiles, false);
  }

  static Layout raked(Layout block, Layout tiles) {
    return zipped(block, tiles, true);
  }

  private static Layout zipped(Layout block, Layout tiles, boolean tileFirst) {
    int rank = Math.max(block.rank(), tiles.rank());
    var product = logical(padded(block, rank), padded(tiles, rank)).orElseThrow();
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < rank; i++) {
      var inBlock = product.mode(0).mode(i);
      var inTiles = product.mode(1).mode(i);
      modes.add(tileFirst ? Layout.of(inTiles, inBlock) : Layout.of(inBlock, inTiles));
    }
    return Layout.of(modes);
  }

  private static Layout padded(Layout layout, int rank) {
    if (rank == 1) return layout.shape() instanceof IntTuple.Leaf ? Layout.of(layout) : layout;
    var modes = new ArrayList<>(layout.modes());
    while (modes.size() < rank) modes.add(Layout.of(1, 0));
    return Layout.of(modes);
  }

  static Layout tileToShape(Layout block, IntTuple target) {
    int rank = Math.max(block.rank(), target.rank());
    var repeats = new long[rank];
    for (int i = 0; i < rank; i++) {
      long have = i < block.rank() ? block.mode(i).size() : 1;
      long want = i < target.rank() ? target.mode(i).size() : 1;
      if (want % have != 0) {
        throw new IllegalArgumentException("block " + block + " does not fill " + target + ": mode " + i + " has " + have
            + " elements, which do not divide " + want);
      }
      repeats[i] = want / have;
    }
    return blocked(block, Layout.columnMajor(repeats));
  }
}
