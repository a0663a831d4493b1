package tilewright.sm90.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.TileScheduler;
import tilewright.sm90.atom.ClusterBarrier;

/**
 * The tiles of C that a CTA computes, one after the other; those of a cluster lie one below the other, so that they
 * share B's tile. Clusters stay and go around all tiles.
 *
 * @param rank the CTA's rank in its cluster
 * @param blocks of a cluster
 * @param band rows of the cluster's tiles that clusters work through together, for L2
 */
public record ClusterTiles(Scope k, I32 rank, int blocks, int tileM, int tileN, int band) {

  /** Declares the cluster. */
  public static ClusterTiles of(Scope k, int blocks, int tileM, int tileN, int band) {
    return new ClusterTiles(k, k.cluster(blocks), blocks, tileM, tileN, band);
  }

  /** What is done for the tile that begins at a row, a column and a batch entry. */
  public interface Body {
    void accept(I32 m, I32 n, I32 batch);
  }

  /** Goes through the tiles of a C of these extents. */
  public void forEach(I32 extentM, I32 extentN, I32 batch, Body body) {
    TileScheduler.persistent(k, k.blockX().dividedBy(blocks), k.gridX().dividedBy(blocks),
        extentM.ceilDiv(blocks * tileM), extentN.ceilDiv(tileN), batch, band,
        tile -> body.accept(tile.m().times(blocks).plus(rank).times(tileM), tile.n().times(tileN), tile.batch()));
  }

  /** Waits for all threads of the cluster, or of the block where that is all. */
  public void meet() {
    if (blocks > 1) ClusterBarrier.meet(k);
    else k.barrier();
  }

  /** At the end: no CTA may go while another still writes to its shared memory or signals it. */
  public void part() {
    if (blocks > 1) ClusterBarrier.meet(k);
  }
}
