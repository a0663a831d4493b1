package tilewright.sm100.attention;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.sm100.collective.Signals;

/** The load warp, of which one thread has tiles of Q, and alternately blocks of K and V, copied to shared memory. */
final class LoadWarp {
  private static final int TILES = Sm100AttentionConfig.TILES;

  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionWork work;
  private final TileCoordinates coordinates;
  private final AttentionSignals signals;
  private final TensorTile q;
  private final TensorTile key;
  private final TensorTile value;
  private final Optional<OperandScales> scales;
  private final Pipeline.Cursor kv;
  private final Signals.Waiter qEmpty;
  private final List<Signals.Waiter> stagingEmpty;

  /** @param scales of Q, K and V, if tensor cores multiply by any */
  LoadWarp(Scope k, AttentionWork work, AttentionSignals signals, TensorTile q, TensorTile key, TensorTile value,
      Optional<OperandScales> scales) {
    this.k = k;
    this.config = work.config();
    this.work = work;
    coordinates = config.coordinates(k);
    this.signals = signals;
    this.q = q;
    this.key = key;
    this.value = value;
    this.scales = scales;
    kv = signals.kv().producer();
    qEmpty = signals.qEmpty().waiterButFirst(k.constant(0));
    stagingEmpty = config.outputReplacesQueries() ? IntStream.range(0, TILES)
        .mapToObj(i -> signals.stagingEmpty().waiterButFirst(k.constant(i))).toList() : List.of();
  }

  void load(Tile tile) {
    // O of the previous tile has left Q's place.
    stagingEmpty.forEach(Signals.Waiter::await);
    qEmpty.await();
    for (int i = 0; i < TILES; i++) loadQueries(tile, i);
    var visits = work.blocks(tile);
    k.loop(visits.count(), place -> {
      var begin = visits.block().apply(place).times(config.shape().keys()).settled();
      loadBlock(key, coordinates.keys(tile, begin), OperandScales::key, tile, begin);
      loadBlock(value, coordinates.values(tile, begin), OperandScales::value, tile, begin);
    });
  }

  /** Loads a block of K or V, and its scales, into the next stage. */
  private void loadBlock(TensorTile block, I32[] from, Function<OperandScales, TensorTile> ofBlock, Tile tile,
      I32 begin) {
    var full = kv.acquire(block.bytes() + scales.map(s -> ofBlock.apply(s).bytes()).orElse(0));
    block.load(k, kv.stage(), full, from);
    scales.ifPresent(s -> ofBlock.apply(s).load(k, kv.stage(), full, s.keys(tile, begin)));
    kv.advance();
  }

  private void loadQueries(Tile tile, int which) {
    var stage = k.constant(which);
    var loaded = signals.qFull().of(stage);
    var first = tile.query().plus(which * Sm100AttentionConfig.ROWS);
    loaded.arriveExpecting(k.constant(q.bytes() + scales.map(s -> s.q().bytes()).orElse(0)));
    q.load(k, stage, loaded, coordinates.queries(tile, first, k.constant(0)));
    scales.ifPresent(s -> s.q().load(k, stage, loaded, s.queries(tile, first)));
  }
}
