package tilewright.async.collective;

import tilewright.async.atom.ClusterBarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * A cluster as one of its CTAs sees it.
 *
 * @param rank this CTA's rank: rows of tiles first, then columns, then slices of k
 */
public record Cluster(Scope k, I32 rank, ClusterShape shape) {

  /** Declares that the kernel is launched in clusters of this shape. */
  public static Cluster of(Scope k, ClusterShape shape) {
    return new Cluster(k, k.cluster(shape.blocks()), shape);
  }

  /** The cluster's number in the grid. */
  public I32 index() {
    return k.blockX().dividedBy(shape.blocks());
  }

  /** How many clusters the grid has. */
  public I32 count() {
    return k.gridX().dividedBy(shape.blocks());
  }

  /** The row of this CTA's tile among the cluster's. */
  public I32 row() {
    return rank.modulo(shape.m());
  }

  /** The column of this CTA's tile among the cluster's. */
  public I32 column() {
    return rank.dividedBy(shape.m()).modulo(shape.n());
  }

  /** The slice of k that this CTA sums over. */
  public I32 slice() {
    return rank.dividedBy(shape.sharers());
  }

  /** The rank of the CTA that sums over another slice of k for the same tile. */
  public I32 rankOfSlice(I32 slice) {
    return rank.modulo(shape.sharers()).plus(slice.times(shape.sharers()));
  }

  /** The first rank of the CTAs that copy for each other. */
  I32 firstSharer() {
    return slice().times(shape.sharers());
  }

  /** This CTA's share of A's tile, which all CTAs of the same row need. */
  public Share shareOfA() {
    return new Share(column(), shape.n(), firstSharer().plus(row()), shape.m());
  }

  /** This CTA's share of B's tile, which all CTAs of the same column need. */
  public Share shareOfB() {
    return new Share(row(), shape.m(), firstSharer().plus(column().times(shape.m())), 1);
  }

  /** Waits for all threads of the cluster, or of the CTA where that is all there is. */
  public void meet() {
    if (shape.blocks() > 1) ClusterBarrier.meet(k);
    else k.barrier();
  }

  /** Waits like {@link #meet} where barriers, which are published, are all that threads have written. */
  public void meetPublished() {
    if (shape.blocks() > 1) ClusterBarrier.meetPublished(k);
    else k.barrier();
  }
}
