package tilewright.sm90.collective;

import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.OrderedSequence;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.I32;
import tilewright.kernel.Warp;
import tilewright.kernel.tiled.Fragment;

/**
 * The main loop of one tile of C, as a warpgroup sees it that multiplies: stage after stage of a ring arrives, is
 * multiplied by {@code wgmma} and released (CUTLASS, CollectiveMma).
 */
public sealed interface Mainloop permits WgmmaMainloop, PromotedMainloop, MixedInputMainloop {

  /** The ring's contents. */
  OperandStages operands();

  /**
   * A warpgroup's side of the ring, which all its threads declare once.
   *
   * @param turn when the warpgroup multiplies, where others have other tiles
   * @param range of k, for every tile
   * @param lane the thread's number in its warpgroup
   */
  Consumer consumer(Pipeline ring, OrderedSequence.Turn turn, WorkTile.KRange range, I32 group, I32 lane);

  /** Arrivals of this CTA that release a stage, where this number of warpgroups share a tile. */
  default int releases(int warpgroups) {
    return operands().areReadByThreads() ? warpgroups * Warpgroup.SIZE / Warp.SIZE : warpgroups;
  }

  /** A warpgroup that multiplies. */
  interface Consumer {
    /** Sums the warpgroup's rows of a tile over a range of k. */
    Fragment accumulate(WorkTile.KRange range);
  }

  /**
   * A consumer's place in the ring.
   *
   * @param stage that is multiplied next
   * @param done the same, which follows once multiplications have read it
   */
  record Place(Pipeline.Cursor stage, Pipeline.Cursor done, OrderedSequence.Turn turn) {
    /** The place where a consumer begins whose first tile comes after those of others. */
    static Place of(Pipeline ring, OrderedSequence.Turn turn, WorkTile.KRange range) {
      var place = new Place(ring.consumer(), ring.consumer(), turn);
      place.skip(range, turn.before());
      return place;
    }

    /** Leaves the stages of so many tiles to other consumers. */
    void skip(WorkTile.KRange range, I32 tiles) {
      if (turn.between() == 0) return;
      var count = range.steps().times(tiles);
      stage.skip(count);
      done.skip(count);
    }
  }
}
