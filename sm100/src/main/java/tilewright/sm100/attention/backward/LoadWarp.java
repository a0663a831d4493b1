package tilewright.sm100.attention.backward;

import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.sm100.collective.Signals;

/** The load warp, of which one thread has K and V, then tiles of Q and dO copied to shared memory. */
record LoadWarp(Scope k, BackwardTiles tiles, BackwardSignals signals) {

  void load(KeyBlock block) {
    var coordinates = new TileCoordinates(k, tiles.config().packed());
    var q = signals.q().producer();
    var dO = signals.dO().producer();
    var walk = block.walk();
    k.when(block.count().atLeast(1), () -> {
      once(tiles.key(), signals.kFull(), coordinates.keys(block.itself(), block.firstKey()));
      once(tiles.value(), signals.vFull(), coordinates.values(block.itself(), block.firstKey()));
    });
    k.loop(block.count(), _ -> {
      loadQueries(q, coordinates, walk.tile());
      loadOutputGradients(dO, coordinates, walk.tile());
      walk.advance();
    });
  }

  private void once(TensorTile tile, Signals full, I32[] coordinate) {
    var zero = k.constant(0);
    full.barrier().arriveExpecting(k.constant(tile.bytes()));
    tile.load(k, zero, full.barrier(), coordinate);
  }

  private void loadQueries(Pipeline.Cursor q, TileCoordinates coordinates, KeyBlock.Tile tile) {
    var landed = q.acquire(tiles.q().bytes() + RowStatistics.bytes());
    tiles.q().load(k, q.stage(), landed, coordinates.queries(tile, firstQuery(tile), k.constant(0)));
    tiles.statistics().load(tiles.slot(tile), tile.head(), q.stage(), landed);
    q.advance();
  }

  private void loadOutputGradients(Pipeline.Cursor dO, TileCoordinates coordinates, KeyBlock.Tile tile) {
    tiles.dO().load(k, dO.stage(), dO.acquire(tiles.dO().bytes()),
        coordinates.queries(tile, firstQuery(tile), k.constant(0)));
    dO.advance();
  }

  private static I32 firstQuery(KeyBlock.Tile tile) {
    return tile.number().times(Sm100BackwardConfig.QUERIES);
  }
}
