package tilewright.sm90.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.Pipeline;
import tilewright.sm90.collective.TensorTile;

/** The thread that has a tile's queries, keys and values copied, the last block first, keys a block before values. */
record AttentionProducer(Scope k, Sm90AttentionConfig config, TensorTile q, TensorTile key, TensorTile value,
    Pipeline.Cursor queries, Pipeline.Cursor keys, Pipeline.Cursor values) {

  void copy(AttentionTiles.Tile tile) {
    var blocks = tile.blocks().atLeastOne();
    copyKeys(tile, blocks.end().plus(-1));
    copyQueries(tile);
    k.loop(blocks.first().plus(1), blocks.end(), 1, i -> {
      var block = blocks.end().plus(blocks.first()).minus(i);
      copyKeys(tile, block.plus(-1));
      copyValues(tile, block);
    });
    copyValues(tile, blocks.first());
  }

  private void copyQueries(AttentionTiles.Tile tile) {
    var landed = queries.acquire(config.shape().consumers() * q.bytes());
    var first = queries.stage().times(config.shape().consumers());
    for (int group = 0; group < config.shape().consumers(); group++) {
      q.load(k, first.plus(group), landed, tile.query().plus(group * WgmmaAtom.M), k.constant(0), tile.head(),
          tile.batch());
    }
    queries.advance();
  }

  private void copyKeys(AttentionTiles.Tile tile, I32 block) {
    key.load(k, keys.stage(), keys.acquire(key.bytes()), firstKey(tile, block), k.constant(0), tile.headOfKeys(),
        tile.batch());
    keys.advance();
  }

  private void copyValues(AttentionTiles.Tile tile, I32 block) {
    value.load(k, values.stage(), values.acquire(value.bytes()), k.constant(0), firstKey(tile, block),
        tile.headOfKeys(), tile.batch());
    values.advance();
  }

  /** A map of no keys still has one row, behind which all is zero. */
  private I32 firstKey(AttentionTiles.Tile tile, I32 block) {
    return block.times(config.shape().keys()).plus(k.constant(1).where(tile.sequence().keys().lessThan(1), 0));
  }
}
