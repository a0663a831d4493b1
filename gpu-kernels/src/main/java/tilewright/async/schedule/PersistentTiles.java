package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * All tiles of C, dealt out to CTAs that stay: in turns, or by numbers that come to them while they run.
 *
 * @param range of k that this CTA sums over, for every tile
 */
public record PersistentTiles(TileGrid grid, WorkTile.KRange range, WorkIndices indices) implements TileScheduler {

  /** Clusters take tiles in turns. */
  public static PersistentTiles strided(TileGrid grid, WorkTile.KRange range) {
    var cluster = grid.cluster();
    return new PersistentTiles(grid, range,
        new StridedIndices(cluster.k(), cluster.index(), grid.count(), cluster.count()));
  }

  @Override
  public void forEach(Consumer<WorkTile> body) {
    indices.forEach(number -> body.accept(grid.tile(number, range)));
  }

  @Override
  public void forEachOfWarp(Pred first, Consumer<WorkTile> body) {
    indices.forEachOfWarp(first, number -> body.accept(grid.tile(number, range)));
  }

  @Override
  public void forEachOf(OrderedSequence.Turn turn, Consumer<WorkTile> body) {
    indices.of(turn).forEach(number -> body.accept(grid.tile(number, range)));
  }

  @Override
  public void schedule() {
    indices.schedule();
  }

  /** Tiles that every cluster has; some may have one more. */
  I32 perCluster() {
    return grid.count().dividedBy(grid.cluster().count()).settled();
  }
}
