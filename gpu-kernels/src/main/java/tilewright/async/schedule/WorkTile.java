package tilewright.async.schedule;

import java.util.Optional;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * A unit of a CTA's work: the tile of C that begins at (m, n), summed over a range of k.
 *
 * @param m the tile's first row
 * @param n the tile's first column
 * @param batch the batch entry of A and C
 * @param group the batch entry of B, which differs from A's for groups of rows
 * @param k the steps of the mainloop
 * @param end the row behind the last one of the tile's group, where C has rows of other groups there
 * @param split where other CTAs may sum over the rest of k, and hand on their accumulators by way of a workspace
 */
public record WorkTile(I32 m, I32 n, I32 batch, I32 group, KRange k, Optional<I32> end,
    Optional<Split> split) {

  /**
   * Steps of the mainloop.
   *
   * @param first the first step, counted from the beginning of k
   * @param steps how many
   */
  public record KRange(I32 first, I32 steps) {}

  /**
   * A place in stream-K's order.
   *
   * @param whole whether the range is all of k
   * @param last whether the range is the last of its tile: that CTA stores the tile
   */
  public record Split(Pred whole, Pred last) {}

  /** Returns this tile, summed over another range of k. */
  public WorkTile over(KRange range) {
    return new WorkTile(m, n, batch, group, range, end, split);
  }
}
