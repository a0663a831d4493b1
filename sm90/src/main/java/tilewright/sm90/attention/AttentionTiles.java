package tilewright.sm90.attention;

import tilewright.kernel.I32;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.BlockInfo;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.sm90.collective.TensorTile;

/** The tiles of O: their order, and what each is made of. */
record AttentionTiles(Sm90AttentionConfig config, SeqlenInfo sequence, AttentionTileScheduler order, I32 sharers) {

  /**
   * A tile of queries of one head.
   *
   * @param query the first one
   * @param blocks of keys that it visits: at least one, whether it sees anything or not
   */
  record Tile(I32 query, I32 head, I32 headOfKeys, I32 batch, SeqlenInfo sequence, BlockInfo blocks) {}

  static AttentionTiles of(Sm90AttentionConfig config, TensorTile q, TensorTile key) {
    var sequence = SeqlenInfo.fixed(q.extent(0), key.extent(0));
    var rows = sequence.queries().ceilDiv(config.shape().queries());
    var order = new AttentionTileScheduler(rows, q.extent(2), q.extent(3), config.headsTogether(),
        config.band().right().isPresent());
    return new AttentionTiles(config, sequence, order, q.extent(2).dividedBy(key.extent(2)));
  }

  Tile tile(AttentionTileScheduler.Tile tile) {
    var shape = config.shape();
    var query = tile.number().times(shape.queries());
    var blocks = BlockInfo.of(config.band(), sequence, query, shape.queries(), shape.keys());
    var some = new BlockInfo(blocks.first(), blocks.insideFirst(), blocks.insideEnd(),
        blocks.end().max(blocks.first().plus(1)));
    return new Tile(query, tile.head(), tile.head().dividedBy(sharers), tile.batch(), sequence, some);
  }
}
