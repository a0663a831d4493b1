package tilewright.async.schedule;

import java.util.Optional;
import tilewright.async.collective.Cluster;
import tilewright.kernel.I32;
import tilewright.kernel.collective.OutputTile;

/**
 * The tiles of C, numbered in the order in which clusters work through them. The tiles of a cluster are neighbours, so
 * that CTAs one below the other share B's tile, and CTAs side by side A's. Clusters' tiles follow one another in bands
 * of rows, so that those under way together share operands in L2 (CUTLASS, max swizzle size).
 *
 * @param tileM rows of a CTA's tile
 * @param tileN columns of a CTA's tile
 * @param band rows of the clusters' tiles in a band
 * @param extents of C
 */
public record TileGrid(Cluster cluster, int tileM, int tileN, int band, Extents extents) {

  /**
   * Extents of a batch of matrices.
   *
   * @param batch number of entries
   */
  public record Extents(I32 m, I32 n, I32 batch) {}

  /** Rows of the clusters' tiles in C. */
  I32 rows() {
    return extents.m.ceilDiv(cluster.shape().m() * tileM);
  }

  /** Columns of the clusters' tiles in C. */
  I32 columns() {
    return extents.n.ceilDiv(cluster.shape().n() * tileN);
  }

  /** The number of the clusters' tiles in all of the batch. */
  public I32 count() {
    return rows().times(columns()).times(extents.batch);
  }

  /** This CTA's tile among those of the cluster's tile of this number, summed over a range of k. */
  public WorkTile tile(I32 number, WorkTile.KRange range) {
    return tile(OutputTile.numbered(number, rows(), columns(), band), range);
  }

  /** This CTA's tile among those of a cluster's tile. */
  WorkTile tile(OutputTile tile, WorkTile.KRange range) {
    return new WorkTile(tile.m().times(cluster.shape().m()).plus(cluster.row()).times(tileM),
        tile.n().times(cluster.shape().n()).plus(cluster.column()).times(tileN), tile.batch(), tile.batch(), range,
        Optional.empty(), Optional.empty());
  }
}
