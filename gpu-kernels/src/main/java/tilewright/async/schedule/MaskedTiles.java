package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.collective.OutputTile;

/**
 * The tiles of groups that have a batch entry each, of whose rows a given number count (DeepGEMM, m-grouped masked
 * layout). Tiles behind these rows are left out before the rest is shared out.
 *
 * @param rows of each group that count
 */
public record MaskedTiles(TileGrid grid, WorkTile.KRange range, GlobalTensor rows) implements TileScheduler {

  public MaskedTiles {
    requireOneRow(grid);
  }

  static void requireOneRow(TileGrid grid) {
    var shape = grid.cluster().shape();
    if (shape.m() == 1) return;
    throw new TraceException("tiles of a cluster of " + shape
        + " lie one below the other and may be of different groups: use a cluster along n");
  }

  @Override
  public void forEach(Consumer<WorkTile> body) {
    Scope k = grid.cluster().k();
    var clusters = grid.cluster().count();
    var columns = grid.columns();
    // The first tile of the next group that is this cluster's, counted in that group.
    var next = k.variable(grid.cluster().index(), Integer.MAX_VALUE);
    k.loop(grid.extents().batch(), group -> {
      var height = rows.at(group).loadInteger().max(0).min(grid.extents().m()).ceilDiv(grid.tileM());
      var count = height.times(columns);
      I32 first = next.value();
      k.loop(first, count, clusters, number ->
          body.accept(grid.tile(OutputTile.banded(number, height, columns, grid.band(), group), range)));
      var mine = count.minus(first).max(0).plus(clusters).plus(-1).dividedBy(clusters);
      next.set(first.plus(mine.times(clusters)).minus(count));
    });
  }
}
