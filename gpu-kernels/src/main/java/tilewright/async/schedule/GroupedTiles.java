package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;

/**
 * The tiles of groups whose rows follow one another in A and C, each with a B of its own (DeepGEMM, m-grouped
 * contiguous layout). Tiles without a group are left out.
 *
 * @param tiles of all rows
 * @param groups the group of each tile row, negative where it has none
 */
public record GroupedTiles(PersistentTiles tiles, GlobalTensor groups) implements TileScheduler {

  public GroupedTiles {
    MaskedTiles.requireOneRow(tiles.grid());
  }

  @Override
  public void forEach(Consumer<WorkTile> body) {
    tiles.forEach(inGroup(body));
  }

  @Override
  public void forEachOf(OrderedSequence.Turn turn, Consumer<WorkTile> body) {
    tiles.forEachOf(turn, inGroup(body));
  }

  private Consumer<WorkTile> inGroup(Consumer<WorkTile> body) {
    var grid = tiles.grid();
    return tile -> {
      I32 group = groups.at(tile.m().dividedBy(grid.tileM())).loadInteger();
      grid.cluster().k().when(group.atLeast(0), () -> body.accept(
          new WorkTile(tile.m(), tile.n(), tile.batch(), group, tile.k(), tile.end(), tile.split())));
    };
  }
}
