package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.TraceException;

/**
 * The order in which a CTA works through its share of C (CUTLASS, TileScheduler). Every role of the CTA traces the same
 * loop over the same tiles: those that load, those that multiply and those that store.
 */
public interface TileScheduler {

  /** Goes through this CTA's work in one thread, or in all threads of a warpgroup alike. */
  void forEach(Consumer<WorkTile> body);

  /** Goes through it in the thread that loads: for the same tiles, perhaps in two ranges of k. */
  default void forEachLoad(Consumer<WorkTile> body) {
    forEach(body);
  }

  /**
   * Goes through it in a warp whose lanes need the tiles together.
   *
   * @param first true for the warp's first lane
   */
  default void forEachOfWarp(Pred first, Consumer<WorkTile> body) {
    forEach(body);
  }

  /**
   * Goes through the tiles of one warpgroup of several that alternate (ping-pong).
   *
   * @throws TraceException where the scheduler cannot deal tiles out in turns
   */
  default void forEachOf(OrderedSequence.Turn turn, Consumer<WorkTile> body) {
    if (turn.round() > 1) throw new TraceException("ping-pong consumers need tiles in a fixed order");
    forEach(body);
  }

  /** Finds further tiles, in the one thread of a CTA that has no other role. Most schedulers compute them instead. */
  default void schedule() {}

  /**
   * The fix-up of a warpgroup, which all its threads call once before their first tile.
   *
   * @param lane the thread's number in its warpgroup
   * @param group the warpgroup's number among those that multiply
   */
  default Fixup fixup(I32 lane, I32 group) {
    return Fixup.none();
  }
}
