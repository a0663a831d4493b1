package tilewright.sm90.collective;

import java.util.function.Consumer;
import tilewright.async.collective.ClusterTiles;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.TileScheduler;

/**
 * Tiles of C for workers that have equally many of them; those that are left over, and do not fill a wave, are cut
 * along k into equal parts, at most one a worker: the data-parallel part of Stream-K with split-K for the rest (Osama
 * and others, Stream-K: Work-Centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU, 2023).
 * Workers
 * with the same part of their tiles go through the same k at the same time, and share in L2 what they copy.
 *
 * <p>Workers are clusters. The worker with a tile's last part finishes it, and waits only for clusters before it in the
 * grid: those are under way whatever else the GPU does.
 *
 * @param perTile steps along k of a tile
 * @param whole tiles that every worker has
 * @param left tiles that are left over
 * @param cuts parts of each of those
 * @param share steps of a part
 */
public record SharedTail(ClusterTiles tiles, I32 extentM, I32 extentN, I32 perTile, I32 whole, I32 left, I32 cuts,
    I32 share) {
  /** Parts of a tile: with more, adding them up takes longer than multiplying does. */
  public static final int MOST_PARTS = 8;
  /** Steps that a part has at least, unless a tile has fewer. */
  public static final int LEAST_STEPS = 2;

  /**
   * Of a C of these extents.
   *
   * @param steps along k of each tile, more than 0
   */
  public static SharedTail of(ClusterTiles tiles, I32 extentM, I32 extentN, I32 batch, I32 steps) {
    var shape = tiles.shape();
    var workers = workers(tiles);
    var count = extentM.ceilDiv(shape.m() * tiles.tileM()).times(extentN.ceilDiv(shape.n() * tiles.tileN()))
        .times(batch).settled();
    var left = count.modulo(workers).settled();
    var cuts = workers.dividedBy(left.max(1)).min(steps.dividedBy(LEAST_STEPS)).min(MOST_PARTS).max(1).settled();
    return new SharedTail(tiles, extentM, extentN, steps, count.dividedBy(workers), left, cuts,
        steps.plus(cuts).plus(-1).dividedBy(cuts).settled());
  }

  private static I32 workers(ClusterTiles tiles) {
    return tiles.k().gridX().dividedBy(tiles.shape().blocks());
  }

  private Scope k() {
    return tiles.k();
  }

  private I32 worker() {
    return k().blockX().dividedBy(tiles.shape().blocks());
  }

  /**
   * A worker's part of a tile, or a whole tile.
   *
   * @param m the first row of this CTA's tile
   * @param n its first column
   * @param first step along k
   * @param steps from there on
   * @param isWhole whether it is a tile
   * @param isLast whether its worker finishes the tile
   */
  public record Part(I32 m, I32 n, I32 batch, I32 first, I32 steps, Pred isWhole, Pred isLast) {}

  /** Goes through this worker's tiles, and its part of one if it has any. */
  public void forEach(Consumer<Part> body) {
    var workers = workers(tiles);
    var cut = worker().dividedBy(left.max(1));
    var turns = whole.plus(1).where(worker().lessThan(left.times(cuts)), whole);
    k().loop(turns, turn -> {
      var isWhole = turn.lessThan(whole);
      var isLast = isWhole.or(cut.plus(1).equalTo(cuts));
      var tile = turn.times(workers).plus(worker()).minus(k().constant(0).where(isWhole, cut.times(left))).settled();
      var first = k().constant(0).where(isWhole, cut.times(share)).settled();
      var steps = perTile.minus(first).where(isLast, share).settled();
      var place = TileScheduler.numbered(tile, extentM.ceilDiv(tiles.shape().m() * tiles.tileM()),
          extentN.ceilDiv(tiles.shape().n() * tiles.tileN()), tiles.band());
      tiles.at(place, (m, n, batch, _) -> body.accept(new Part(m, n, batch, first, steps, isWhole, isLast)));
    });
  }

  /** Goes through the blocks that have the other parts of a tile that this worker finishes, in the order of k. */
  void forEachOther(Part part, Consumer<I32> body) {
    k().when(part.isWhole().not(), () -> k().loop(cuts.plus(-1), cut -> {
      var other = worker().minus(cuts.plus(-1).minus(cut).times(left));
      body.accept(other.times(tiles.shape().blocks()).plus(tiles.rank()));
    }));
  }
}
