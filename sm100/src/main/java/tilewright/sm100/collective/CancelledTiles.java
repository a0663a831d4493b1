package tilewright.sm100.collective;

import tilewright.async.collective.ClusterTiles;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/** The tile of the cluster's own number, then those of {@link CancelledLaunches}; a launch has a cluster a tile. */
public record CancelledTiles(ClusterTiles tiles, Extents extents, CancelledLaunches launches) implements TileWork {

  /**
   * Sets aside what tells of cancelled launches.
   *
   * @param first true for the thread that initialises it
   * @param readers threads and warps of the whole cluster that go through the tiles, without those that schedule
   */
  public static CancelledTiles of(Scope k, ClusterTiles tiles, Extents extents, Pred first, int readers) {
    var count = tiles.count(extents.m(), extents.n(), extents.batch());
    return new CancelledTiles(tiles, extents,
        CancelledLaunches.of(k, tiles.shape().blocks(), tiles.rank().equalTo(0), first, readers, count));
  }

  @Override
  public void forEach(ClusterTiles.Body body) {
    launches.forEach(number -> tiles.numbered(number, extents.m(), extents.n(), body));
  }

  @Override
  public void forEachOfWarp(Pred first, ClusterTiles.Body body) {
    launches.forEachOfWarp(first, number -> tiles.numbered(number, extents.m(), extents.n(), body));
  }

  @Override
  public void schedule() {
    launches.schedule();
  }
}
