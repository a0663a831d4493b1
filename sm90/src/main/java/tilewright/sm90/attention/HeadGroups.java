package tilewright.sm90.attention;

import tilewright.kernel.Chip;
import tilewright.kernels.choice.Formula;

/**
 * The order in which heads are computed where later queries see more keys: groups of heads whose tiles run side by
 * side, of each the longest tiles first. A group of few heads has its keys and values read from memory once; the last
 * has more, so that short tiles are left when long ones end.
 *
 * @param together heads of a group
 * @param beforeLast heads before the last group, a multiple of these
 */
public record HeadGroups(Formula together, Formula beforeLast) {
  /** Bytes of L2 for the keys and values of a group. */
  private static final long CACHE_BYTES = 32L << 20;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** Heads whose keys and values need no L2: so many CTAs walk through those of each that they read them in step. */
  private static final int HEADS_IN_STEP = MULTIPROCESSORS / 6;
  /** Groups that the last one is as large as. */
  private static final int LAST = 3;

  /**
   * Groups of heads of the same length.
   *
   * @param heads of all batch entries
   * @param sharers neighbours among them that read the same keys and values
   * @param bytes of these keys and values
   * @param tiles of queries of a head
   */
  public static HeadGroups of(Formula heads, Formula sharers, Formula bytes, Formula tiles) {
    var together = Formula.of(MULTIPROCESSORS).ceilDiv(tiles.max(1)).min(heads).max(1);
    var last = within(sharers, bytes).max(HEADS_IN_STEP).min(together.times(LAST)).max(together);
    return new HeadGroups(together, heads.minus(last).max(0).ceilDiv(together).times(together));
  }

  /** Groups of heads, each with packed sequences, whose keys and values fit in L2. */
  public static HeadGroups packed(Formula heads, Formula sharers, Formula bytes) {
    var together = within(sharers, bytes).min(heads).max(1);
    return new HeadGroups(together, heads.ceilDiv(together).minus(Formula.of(1)).times(together));
  }

  private static Formula within(Formula sharers, Formula bytes) {
    return Formula.of(CACHE_BYTES).dividedBy(bytes.max(1)).times(sharers);
  }
}
