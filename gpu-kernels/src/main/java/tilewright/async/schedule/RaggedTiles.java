package tilewright.async.schedule;

import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.OutputTile;

/**
 * The tiles of groups whose rows follow one another in A and C, at any row. A tile begins where its group does, or
 * whole tiles behind that, and its rows behind the group's end are not its own to store.
 *
 * @param ends of the groups' rows, ascending
 */
public record RaggedTiles(TileGrid grid, WorkTile.KRange range, GlobalTensor ends) implements TileScheduler {

  public RaggedTiles {
    MaskedTiles.requireOneRow(grid);
  }

  @Override
  public void forEach(Consumer<WorkTile> body) {
    Scope k = grid.cluster().k();
    var clusters = grid.cluster().count();
    var columns = grid.columns();
    // The first tile of the next group that is this cluster's, counted in that group.
    var next = k.variable(grid.cluster().index(), Integer.MAX_VALUE);
    var from = k.variable(k.constant(0), GlobalTensor.MAX_EXTENT);
    k.loop(ends.extent(0), group -> {
      I32 begin = from.value();
      var end = ends.at(group).loadInteger().max(0).min(grid.extents().m());
      var height = end.minus(begin).max(0).ceilDiv(grid.tileM());
      var count = height.times(columns);
      I32 first = next.value();
      k.loop(first, count, clusters, number -> {
        var tile = grid.tile(OutputTile.banded(number, height, columns, grid.band(), group), range);
        body.accept(new WorkTile(begin.plus(tile.m()), tile.n(), k.constant(0), group, range, Optional.of(end),
            Optional.empty()));
      });
      var mine = count.minus(first).max(0).plus(clusters).plus(-1).dividedBy(clusters);
      next.set(first.plus(mine.times(clusters)).minus(count));
      from.set(end);
    });
  }
}
