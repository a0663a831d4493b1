package tilewright.kernels.choice;

/**
 * The order in which attention computes heads where later queries see more keys: groups of heads whose tiles run side
 * by side, of each group the longest tiles first.
 *
 * @param multiprocessors of the GPU
 * @param cacheBytes of L2 for the keys and values of a group
 */
public record HeadOrder(int multiprocessors, long cacheBytes) {
  /** CTAs enough to read a head's keys and values in step, so that they need no L2. */
  private static final int IN_STEP = 6;
  /** Waves of tiles among which the short ones fill the time until the long ones end. */
  private static final int LAST = 3;

  /**
   * Groups of heads.
   *
   * @param together heads of a group
   * @param beforeLast heads before the last group, a multiple of these
   */
  public record Groups(Formula together, Formula beforeLast) {}

  /**
   * Groups of as few heads as fill the GPU, so that their keys and values are read from memory once. The last has more,
   * so that short tiles are left when long ones end. Heads whose keys and values take half of L2 at most are one group.
   *
   * @param heads of all batch entries
   * @param sharers neighbours among them that read the same keys and values
   * @param bytes of these keys and values
   * @param tiles of queries of a head
   */
  public Groups inWaves(Formula heads, Formula sharers, Formula bytes, Formula tiles) {
    var together = Formula.of(multiprocessors).ceilDiv(tiles.max(1)).min(heads).max(1);
    var fitting = within(sharers, bytes);
    var last = heads.times(2).atMost(fitting, heads,
        fitting.max(multiprocessors / IN_STEP).min(together.times(LAST)).max(together));
    return new Groups(together, heads.minus(last).max(0).ceilDiv(together).times(together));
  }

  /** Groups of heads of any lengths whose keys and values fit in L2. */
  public Groups inCache(Formula heads, Formula sharers, Formula bytes) {
    var together = within(sharers, bytes).min(heads).max(1);
    return new Groups(together, heads.ceilDiv(together).minus(Formula.of(1)).times(together));
  }

  private Formula within(Formula sharers, Formula bytes) {
    return Formula.of(cacheBytes).dividedBy(bytes.max(1)).times(sharers);
  }
}
