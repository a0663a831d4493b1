package tilewright.sm100.collective;

import tilewright.async.collective.ClusterTiles;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/** The tiles of C that a CTA computes; every role of the CTA goes through them in the same order. */
public sealed interface TileWork permits StaticTiles, CancelledTiles {

  /** One thread goes through the tiles. */
  void forEach(ClusterTiles.Body body);

  /**
   * The lanes of a warp go through the tiles together.
   *
   * @param first true for the first of them
   */
  void forEachOfWarp(Pred first, ClusterTiles.Body body);

  /** What the warp does that finds out about further tiles. */
  void schedule();

  /**
   * The extents of C.
   *
   * @param batch entries
   */
  record Extents(I32 m, I32 n, I32 batch) {}
}
