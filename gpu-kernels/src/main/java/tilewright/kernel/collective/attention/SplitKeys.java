package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;

/**
 * Ranges of blocks of keys that are work items of their own: a scheduler's tile number says the tile of queries and the
 * split. Splits begin at multiples of a number of blocks, whatever the sequence's length, so that what they compute
 * depends on nothing else; those behind a sequence's last block are empty.
 *
 * @param tiles of queries per head
 * @param count of splits
 * @param blocks of a split
 */
public record SplitKeys(I32 tiles, I32 count, I32 blocks) {
  /** The argument of a launch with the number of splits. */
  public static final String COUNT = "splits";
  /** The argument with the blocks of each. */
  public static final String BLOCKS = "blocksPerSplit";

  /** Splits as the launch says. */
  public static SplitKeys atLaunch(I32 tiles) {
    return new SplitKeys(tiles, tiles.parameter(COUNT), tiles.parameter(BLOCKS));
  }

  /** Tiles of queries and splits of a head. */
  public I32 slots() {
    return tiles.times(count);
  }

  I32 tile(I32 number) {
    return number.modulo(tiles);
  }

  I32 split(I32 number) {
    return number.dividedBy(tiles);
  }

  /** Those of a tile's blocks that a split has. */
  BlockInfo of(BlockInfo all, I32 split) {
    var begin = split.times(blocks);
    return all.within(begin, begin.plus(blocks));
  }
}
