package tilewright.sm100.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.sm100.collective.Signals;

/** The thread that has tiles of Q, and blocks of K and V by turns, copied to shared memory. */
final class Loader {
  private static final int TILES = Sm100AttentionConfig.TILES;

  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionWork work;
  private final TileCoordinates coordinates;
  private final AttentionSignals signals;
  private final TensorTile q;
  private final TensorTile key;
  private final TensorTile value;
  private final Pipeline.Cursor blocks;
  private final Signals.Waiter asked;
  private final List<Signals.Waiter> stored;

  Loader(Scope k, AttentionWork work, AttentionSignals signals, TensorTile q, TensorTile key, TensorTile value) {
    this.k = k;
    this.config = work.config();
    this.work = work;
    coordinates = new TileCoordinates(k, config.packed());
    this.signals = signals;
    this.q = q;
    this.key = key;
    this.value = value;
    blocks = signals.blocks().producer();
    asked = signals.asked().waiterButFirst(k.constant(0));
    stored = config.shape().outputReplacesQueries()
        ? IntStream.range(0, TILES).mapToObj(i -> signals.stored().waiterButFirst(k.constant(i))).toList() : List.of();
  }

  void load(Tile tile) {
    // O of the tile before has left Q's place.
    stored.forEach(Signals.Waiter::await);
    asked.await();
    for (int i = 0; i < TILES; i++) loadQueries(tile, i);
    var visits = work.blocks(tile);
    k.loop(visits.count(), place -> {
      var begin = visits.block().apply(place).times(config.shape().keys()).settled();
      key.load(k, blocks.stage(), blocks.acquire(key.bytes()), coordinates.keys(tile, begin));
      blocks.advance();
      value.load(k, blocks.stage(), blocks.acquire(value.bytes()), coordinates.values(tile, begin));
      blocks.advance();
    });
  }

  private void loadQueries(Tile tile, int which) {
    var stage = k.constant(which);
    var loaded = signals.queries().of(stage);
    loaded.arriveExpecting(k.constant(q.bytes()));
    q.load(k, stage, loaded,
        coordinates.queries(tile, tile.query().plus(which * Sm100AttentionConfig.ROWS), k.constant(0)));
  }
}
