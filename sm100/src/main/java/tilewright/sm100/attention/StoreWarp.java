package tilewright.sm100.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.sm100.collective.Signals;

/** The store warp, of which one thread has O copied from shared to global memory. */
final class StoreWarp {
  private static final int TILES = Sm100AttentionConfig.TILES;

  private final Scope k;
  private final AttentionSignals signals;
  private final TileCoordinates coordinates;
  private final TensorTile o;
  private final List<Signals.Waiter> stagingFull;

  StoreWarp(Scope k, AttentionWork work, AttentionSignals signals, TensorTile o) {
    this.k = k;
    this.signals = signals;
    coordinates = work.config().coordinates(k);
    this.o = o;
    stagingFull = IntStream.range(0, TILES).mapToObj(i -> signals.stagingFull().waiter(k.constant(i))).toList();
  }

  void store(Tile tile) {
    for (int i = 0; i < TILES; i++) {
      stagingFull.get(i).await();
      o.store(k, k.constant(i),
          coordinates.queries(tile, tile.query().plus(i * Sm100AttentionConfig.ROWS), k.constant(0)));
      BulkCopy.commit(k);
    }
    for (int i = 0; i < TILES; i++) {
      BulkCopy.waitForReads(k, TILES - 1 - i);
      signals.stagingEmpty().of(k.constant(i)).arrive();
    }
  }
}
