package tilewright.async.collective;

import tilewright.async.atom.ClusterBarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.TileScheduler;

/**
 * The tiles of C that a CTA computes, one after the other; those of a cluster are neighbours, so that CTAs one below
 * the other share B's tile, and CTAs side by side A's. Clusters stay and go around all tiles.
 *
 * @param rank the CTA's rank in its cluster: rows first, then columns, then parts of k
 * @param band rows of the cluster's tiles that clusters work through together, for L2
 */
public record ClusterTiles(Scope k, I32 rank, ClusterShape shape, int tileM, int tileN, int band) {

  /** Declares the cluster. */
  public static ClusterTiles of(Scope k, ClusterShape shape, int tileM, int tileN, int band) {
    return new ClusterTiles(k, k.cluster(shape.blocks()), shape, tileM, tileN, band);
  }

  /** What is done for the tile that begins at a row, a column and a batch entry. */
  public interface Body {
    void accept(I32 m, I32 n, I32 batch);
  }

  /** Goes through the tiles of a C of these extents. */
  public void forEach(I32 extentM, I32 extentN, I32 batch, Body body) {
    forEach(k.constant(0), 1, extentM, extentN, batch, body);
  }

  /** Goes through every so many-th tile, from the one of that turn on. */
  public void forEach(I32 turn, int turns, I32 extentM, I32 extentN, I32 batch, Body body) {
    var clusters = k.gridX().dividedBy(shape.blocks());
    TileScheduler.persistent(k, k.blockX().dividedBy(shape.blocks()).plus(turn.times(clusters)),
        clusters.times(turns), extentM.ceilDiv(shape.m() * tileM), extentN.ceilDiv(shape.n() * tileN), batch, band,
        tile -> at(tile, (m, n, entry, _) -> body.accept(m, n, entry)));
  }

  /** Tiles of a C of these extents that every cluster has; some may have one more. */
  public I32 perCluster(I32 extentM, I32 extentN, I32 batch) {
    return count(extentM, extentN, batch).dividedBy(k.gridX().dividedBy(shape.blocks())).settled();
  }

  /** Tiles of clusters that a C of these extents has. */
  public I32 count(I32 extentM, I32 extentN, I32 batch) {
    return extentM.ceilDiv(shape.m() * tileM).times(extentN.ceilDiv(shape.n() * tileN)).times(batch);
  }

  /** Does the cluster's tile that would be that of the cluster of this number, were there one for each. */
  public void numbered(I32 cluster, I32 extentM, I32 extentN, Body body) {
    at(TileScheduler.numbered(cluster, extentM.ceilDiv(shape.m() * tileM), extentN.ceilDiv(shape.n() * tileN), band),
        (m, n, batch, _) -> body.accept(m, n, batch));
  }

  /** What this CTA does of a cluster's tile. */
  public void at(TileScheduler tile, GroupedTiles.Body body) {
    body.accept(tile.m().times(shape.m()).plus(row()).times(tileM),
        tile.n().times(shape.n()).plus(column()).times(tileN), tile.batch(), tile.batch());
  }

  private I32 row() {
    return rank.modulo(shape.m());
  }

  private I32 column() {
    return rank.dividedBy(shape.m()).modulo(shape.n());
  }

  /** Which part of k the CTA works on. */
  public I32 slice() {
    return rank.dividedBy(shape.sharers());
  }

  /** The rank of the CTA that works on another part of k of the same tile. */
  public I32 rankOfSlice(I32 slice) {
    return rank.modulo(shape.sharers()).plus(slice.times(shape.sharers()));
  }

  /** The first of the ranks that copy for each other. */
  I32 firstSharer() {
    return slice().times(shape.sharers());
  }

  /** A's tile, which those in the same row need. */
  public Share shareOfA() {
    return new Share(column(), shape.n(), firstSharer().plus(row()), shape.m());
  }

  /** B's tile, which those in the same column need. */
  public Share shareOfB() {
    return new Share(row(), shape.m(), firstSharer().plus(column().times(shape.m())), 1);
  }

  /** Waits for all threads of the cluster, or of the block where that is all. */
  public void meet() {
    if (shape.blocks() > 1) ClusterBarrier.meet(k);
    else k.barrier();
  }

  /** At the end: no CTA may go while one that it copies for still writes to its shared memory or signals it. */
  public void part() {
    if (shape.sharers() > 1) ClusterBarrier.meet(k);
  }
}
