package tilewright.sm90.collective;

import tilewright.async.atom.Warpgroup;
import tilewright.kernel.Partition;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The blocks of 64 rows and some columns in which a warpgroup's part of a tile of D leaves, in turns: from the left
 * through 64 rows, then through the next.
 *
 * @param products whose accumulators the columns of the multiplied tile are, for as many columns of D each
 * @param columns of a block
 * @param stages in shared memory that turns go through
 */
record OutputBlocks(TiledWgmma mma, int products, int columns, int stages) {
  /** Columns of D's tile. */
  int tileN() {
    return mma.columns() / products;
  }

  /** Blocks side by side. */
  int across() {
    return tileN() / columns;
  }

  int turns() {
    return mma.blocks() * across();
  }

  /** Stages that any turn uses. */
  int used() {
    return Math.min(stages, turns());
  }

  /** Values of a thread in a block. */
  int values() {
    return columns * WgmmaAtom.M / Warpgroup.SIZE;
  }

  /** The elements of 64 rows of the tile that each thread has. */
  Partition rows() {
    return WgmmaAtom.accumulators(tileN());
  }

  /** The copies that may still be under way when a turn's stage is written: those since it was last read. */
  int pending(int turn) {
    if (turn >= stages) return stages - 1;
    int previous = turn + (turns() - 1 - turn) / stages * stages;
    return turns() - 1 - previous + turn;
  }
}
