package tilewright.kernels.attention.merging;

import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.choice.Formula;

/**
 * The rule by which kernels split keys, over formulas: numbers where it is given numbers.
 *
 * @param keys that a batch entry has, or has room for
 * @param seen keys that all of a tile's queries see together, at most {@code keys}
 * @param block keys of a block
 * @param tiles of queries, of all heads and batch entries
 * @param rows queries of all heads that share keys
 * @param uneven whether the launch reads how many keys an entry has
 */
public record SplitRule(Formula keys, Formula seen, Formula block, Formula tiles, Formula rows, boolean uneven) {
  /** The most keys of a split where entries differ, so that many CTAs share a long sequence. */
  private static final int UNEVEN_KEYS = 4096;
  /** The most rows for which keys are split without being asked for: more fill the GPU by themselves, or soon do. */
  private static final int MOST_ROWS = 256;

  /** The blocks of all keys. */
  public Formula blocks() {
    return keys.ceilDiv(block).max(1);
  }

  /**
   * The blocks of a split: all where there is only one.
   *
   * @param resident tiles that a GPU works on at a time
   */
  public Formula each(int resident) {
    // A window may begin and end within a block.
    var visited = seen.dividedBy(block).plus(2).min(blocks());
    var even = visited.ceilDiv(KeySplits.fewest(tiles.max(1), visited, resident));
    // Nobody knows how much longer than others an entry is.
    var each = uneven ? even.min(Formula.of(UNEVEN_KEYS).dividedBy(block)) : even;
    return rows.atMost(Formula.of(MOST_ROWS), visited.atMost(each, blocks(), each), blocks());
  }
}
