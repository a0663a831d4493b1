package tilewright.sm100.attention.backward;

import tilewright.async.atom.Mbarrier;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernels.attention.backward.KeyBlock;

/**
 * The load warp, of which one thread has K and V, then tiles of Q and dO copied to shared memory; of a pair, this CTA's
 * shares of them.
 */
record LoadWarp(Scope k, BackwardTiles tiles, BackwardSignals signals) {

  void load(KeyBlock block) {
    var coordinates = new TileCoordinates(k, tiles.config().packed());
    var zero = k.constant(0);
    var shape = tiles.config().shape();
    var columns = tiles.groups().member().times(shape.headDim() / shape.ctas());
    var columnsO = tiles.groups().member().times(shape.valueDim() / shape.ctas());
    var statistics = signals.statistics().producer();
    var q = signals.q().producer();
    var dO = signals.dO().producer();
    var qColumns = signals.qColumns().producer(q);
    var dOColumns = signals.dOColumns().producer(dO);
    var walk = block.walk();
    k.when(block.count().atLeast(1), () -> {
      var firstKey = tiles.share(block).firstKey();
      load(tiles.key(), zero, signals.kFull().barrier(), coordinates.keys(block.itself(), firstKey));
      int keyColumns = shape.paired() ? shape.ctas() * tiles.keyColumns().bytes() : 0;
      expect(signals.vFull().barrier(), tiles.value().bytes() + keyColumns);
      fill(tiles.value(), zero, signals.vFull().barrier(), coordinates.values(block.itself(), firstKey));
      if (shape.paired()) fillColumnsOfKeys(block, coordinates, columns);
    });
    k.loop(block.count(), _ -> {
      var tile = walk.tile();
      load(tiles.q(), q, coordinates.queries(tile, firstQuery(tile).plus(share()), zero));
      loadStatistics(statistics, tile);
      load(tiles.dO(), dO, coordinates.queries(tile, firstQuery(tile).plus(share()), zero));
      if (shape.paired()) {
        load(tiles.dOColumns(), dOColumns, coordinates.queries(tile, firstQuery(tile), columnsO));
        load(tiles.qColumns(), qColumns, coordinates.queries(tile, firstQuery(tile), columns));
      }
      q.advance();
      dO.advance();
      walk.advance();
    });
  }

  /** The keys of both CTAs. */
  private void fillColumnsOfKeys(KeyBlock block, TileCoordinates coordinates, I32 columns) {
    for (int cta = 0; cta < tiles.groups().ctas(); cta++) {
      fill(tiles.keyColumns(), k.constant(cta), signals.vFull().barrier(),
          coordinates.keys(block.itself(), block.firstKey().plus(cta * Sm100BackwardConfig.KEYS), columns));
    }
  }

  /** Behind the wait for a stage of Q or its columns, which says that dK is over for the tile whose rows were here. */
  private void loadStatistics(Pipeline.Cursor statistics, KeyBlock.Tile tile) {
    var landed = statistics.expect(RowStatistics.bytes());
    tiles.statistics().load(tiles.slot(tile), tile.head(), statistics.stage(), landed);
    statistics.advance();
  }

  private void load(TensorTile tile, Pipeline.Cursor ring, I32... coordinate) {
    ring.awaitEmpty();
    load(tile, ring.stage(), ring.full(), coordinate);
  }

  private void load(TensorTile tile, I32 stage, Mbarrier full, I32... coordinate) {
    expect(full, tile.bytes());
    fill(tile, stage, full, coordinate);
  }

  /** The first CTA's barrier counts the bytes of both. */
  private void expect(Mbarrier full, int bytes) {
    var groups = tiles.groups();
    k.when(groups.isFirst(), () -> full.arriveExpecting(k.constant(groups.ctas() * bytes)));
  }

  private void fill(TensorTile tile, I32 stage, Mbarrier full, I32... coordinate) {
    var groups = tiles.groups();
    tile.fill(k, k.constant(0), 1, stage, groups.load(groups.landing(full)), coordinate);
  }

  private static I32 firstQuery(KeyBlock.Tile tile) {
    return tile.number().times(Sm100BackwardConfig.QUERIES);
  }

  /** The first of this CTA's queries of a tile. */
  private I32 share() {
    var groups = tiles.groups();
    return groups.member().times(Sm100BackwardConfig.QUERIES / groups.ctas());
  }
}
