package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * Tiles of which each CTA of a cluster sums over its own slice of k.
 *
 * @param tiles whose ranges of k are the CTA's slice
 */
public record SplitKTiles(TileScheduler tiles, ClusterReduction reduction) implements TileScheduler {

  @Override
  public void forEach(Consumer<WorkTile> body) {
    tiles.forEach(body);
  }

  @Override
  public void forEachLoad(Consumer<WorkTile> body) {
    tiles.forEachLoad(body);
  }

  @Override
  public void forEachOf(OrderedSequence.Turn turn, Consumer<WorkTile> body) {
    tiles.forEachOf(turn, body);
  }

  @Override
  public void forEachOfWarp(Pred first, Consumer<WorkTile> body) {
    tiles.forEachOfWarp(first, body);
  }

  @Override
  public void schedule() {
    tiles.schedule();
  }

  @Override
  public Fixup fixup(I32 lane, I32 group) {
    return reduction.fixup(lane, group);
  }
}
