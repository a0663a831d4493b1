package tilewright.async.schedule;

import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * A hybrid of persistent tiles and stream-K. Every cluster has equally many whole tiles; those that are left over, and
 * do not fill a wave, are cut along k into equal parts, at most one per cluster: the data-parallel part of Stream-K, and
 * split-K for the rest (Osama and others, Stream-K: Work-Centric Parallel Decomposition for Dense Matrix-Matrix
 * Multiplication on the GPU, 2023). Clusters with the same part of their tiles go through the same k at the same time,
 * and share in L2 what they load.
 *
 * <p>The cluster with a tile's last part finishes it. It waits only for clusters before it in the grid: those are under
 * way whatever else the GPU does.
 *
 * @param steps of the mainloop over all of k
 * @param whole tiles that every cluster has
 * @param left tiles that are left over
 * @param cuts parts of each of those
 * @param share steps of a part
 */
public record StreamKTiles(TileGrid grid, I32 steps, I32 whole, I32 left, I32 cuts, I32 share,
    WorkspaceReduction reduction) implements TileScheduler {
  /** The most parts of a tile: adding up more takes longer than multiplying does. */
  public static final int MOST_PARTS = 8;
  /** The fewest steps of a part, unless a tile has fewer. */
  public static final int LEAST_STEPS = 2;

  /**
   * Declares the workspace.
   *
   * @param steps of the mainloop over all of k, more than 0
   */
  public static StreamKTiles of(TileGrid grid, I32 steps, Accumulators accumulators) {
    var clusters = grid.cluster().count();
    var count = grid.count().settled();
    var left = count.modulo(clusters).settled();
    var cuts = clusters.dividedBy(left.max(1)).min(steps.dividedBy(LEAST_STEPS)).min(MOST_PARTS).max(1).settled();
    return new StreamKTiles(grid, steps, count.dividedBy(clusters), left, cuts,
        steps.plus(cuts).plus(-1).dividedBy(cuts).settled(), WorkspaceReduction.of(grid.cluster().k(), accumulators));
  }

  private Scope k() {
    return grid.cluster().k();
  }

  @Override
  public void forEach(Consumer<WorkTile> body) {
    var cluster = grid.cluster().index();
    var cut = cluster.dividedBy(left.max(1));
    var turns = whole.plus(1).where(cluster.lessThan(left.times(cuts)), whole);
    k().loop(turns, turn -> {
      var isWhole = turn.lessThan(whole);
      var isLast = isWhole.or(cut.plus(1).equalTo(cuts));
      var number = turn.times(grid.cluster().count()).plus(cluster)
          .minus(k().constant(0).where(isWhole, cut.times(left))).settled();
      var first = k().constant(0).where(isWhole, cut.times(share)).settled();
      var part = new WorkTile.KRange(first, steps.minus(first).where(isLast, share).settled());
      var tile = grid.tile(number, part);
      body.accept(new WorkTile(tile.m(), tile.n(), tile.batch(), tile.group(), part, tile.end(),
          Optional.of(new WorkTile.Split(isWhole, isLast))));
    });
  }

  @Override
  public Fixup fixup(I32 lane, I32 group) {
    return (tile, output, mainloop) -> {
      var accumulators = mainloop.get();
      var split = tile.split().orElseThrow();
      k().when(split.last(), () -> {
        k().when(split.whole().not(),
            () -> reduction.add(cuts.plus(-1), this::other, lane, group, accumulators));
        output.prefetch();
        output.store(accumulators);
      }, () -> reduction.leave(lane, group, accumulators));
    };
  }

  /** The CTA that has a part, counted in the order of k, of the tile that this one finishes. */
  private I32 other(I32 cut) {
    var other = grid.cluster().index().minus(cuts.plus(-1).minus(cut).times(left));
    return other.times(grid.cluster().shape().blocks()).plus(grid.cluster().rank());
  }
}
