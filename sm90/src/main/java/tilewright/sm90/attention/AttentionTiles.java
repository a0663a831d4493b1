package tilewright.sm90.attention;

import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.BlockInfo;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.sm90.collective.TensorTile;

/** The tiles of O that a CTA computes, one after the other. */
record AttentionTiles(Scope k, Sm90AttentionConfig config, TensorTile q, TensorTile key) {

  /**
   * A tile of queries of one head.
   *
   * @param query the first one
   * @param blocks of keys that it sees
   */
  record Tile(I32 query, I32 head, I32 headOfKeys, I32 batch, SeqlenInfo sequence, BlockInfo blocks) {}

  void forEach(Consumer<Tile> body) {
    var sequence = SeqlenInfo.fixed(q.extent(0), key.extent(0));
    var heads = q.extent(2);
    var sharers = heads.dividedBy(key.extent(2));
    new AttentionTileScheduler(sequence.queries().ceilDiv(config.queries()), heads, q.extent(3),
        config.headsTogether(), config.band().right().isPresent())
        .persistent(k, k.blockX(), k.gridX(), tile -> {
          var query = tile.number().times(config.queries());
          body.accept(new Tile(query, tile.head(), tile.head().dividedBy(sharers), tile.batch(), sequence,
              BlockInfo.of(config.band(), sequence, query, config.queries(), config.keys())));
        });
  }
}
