package tilewright.sm100.attention;

import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.layout.Layout;
import tilewright.sm100.atom.ScaleCopy;

/** The scales of mxf8 operands in shared memory: tiles for each stage of the operands. K and V share stages. */
record OperandScales(Scope k, Sm100AttentionConfig config, TileCoordinates coordinates, TensorTile q, TensorTile key,
    TensorTile value) {
  private static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;

  static OperandScales of(Scope k, Sm100AttentionConfig config) {
    int tiles = config.scaleTiles();
    int stages = config.shape().stages();
    var q = TensorTile.of(k, Mxf8Scales.spec("scaleQ"), layout(tiles, tiles, Sm100AttentionConfig.TILES));
    var key = TensorTile.of(k, Mxf8Scales.spec("scaleK"), layout(tiles, tiles, stages));
    var ofValue = layout(Mxf8Scales.tiles(config.shape().valueDim()), tiles, stages);
    var value = TensorTile.over(k, Mxf8Scales.spec("scaleV"), key.shared().under(ofValue));
    return new OperandScales(k, config, config.coordinates(k), q, key, value);
  }

  /** (tile, word, stage), with stages of {@code apart} tiles. */
  private static Layout layout(int tiles, int apart, int stages) {
    return Layout.of(Layout.of(tiles, WORDS), Layout.of(WORDS, 1), Layout.of(stages, (long) apart * WORDS));
  }

  /** Coordinates of Q's scales, from a query of the sequence on, which begins a block of them. */
  I32[] queries(Tile tile, I32 row) {
    return place(tile, tile.sequence().firstQuery(), row, tile.head());
  }

  /** Coordinates of K's or V's scales: those of the block that a key of the sequence is in. */
  I32[] keys(Tile tile, I32 row) {
    return place(tile, tile.sequence().firstKey(), row, tile.headOfKeys());
  }

  private I32[] place(Tile tile, I32 first, I32 row, I32 head) {
    var block = row.dividedBy(Mxf8Scales.ROWS);
    var ofAll = config.packed() ? PackedTiles.firstSlot(first, tile.batch(), Mxf8Scales.ROWS).plus(block) : block;
    return new I32[] {k.constant(0), k.constant(0), ofAll, head, coordinates.entry(tile)};
  }
}
