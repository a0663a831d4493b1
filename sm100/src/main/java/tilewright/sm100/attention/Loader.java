package tilewright.sm100.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.sm100.collective.Signals;
import tilewright.sm90.collective.Pipeline;
import tilewright.sm90.collective.TensorTile;

/** The thread that has tiles of Q, and blocks of K and V by turns, copied to shared memory; the last block first. */
record Loader(Scope k, TensorTile q, TensorTile key, TensorTile value, Signals queries, Signals.Waiter asked,
    Pipeline.Cursor blocks) {

  void load(Tile tile) {
    var range = tile.blocks();
    k.when(range.first().lessThan(range.end()), () -> {
      asked.await();
      for (int i = 0; i < Sm100AttentionConfig.TILES; i++) loadQueries(tile, i);
      k.loop(range.first(), range.end(), 1, i -> {
        var begin = range.end().plus(range.first()).plus(-1).minus(i).times(keys());
        key.load(k, blocks.stage(), blocks.acquire(key.bytes()), begin, k.constant(0), tile.headOfKeys(),
            tile.batch());
        blocks.advance();
        value.load(k, blocks.stage(), blocks.acquire(value.bytes()), k.constant(0), begin, tile.headOfKeys(),
            tile.batch());
        blocks.advance();
      });
    });
  }

  private void loadQueries(Tile tile, int which) {
    var stage = k.constant(which);
    var loaded = queries.of(stage);
    loaded.arriveExpecting(k.constant(q.bytes()));
    q.load(k, stage, loaded, tile.query().plus(which * Sm100AttentionConfig.ROWS), k.constant(0), tile.head(),
        tile.batch());
  }

  private int keys() {
    return Math.toIntExact(key.shared().layout().shape().mode(0).size());
  }
}
