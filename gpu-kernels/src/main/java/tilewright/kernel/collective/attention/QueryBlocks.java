package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * The blocks of {@code tileM} queries that see any of a tile of keys, for the backward pass: {@code first} … {@code
 * end} − 1. In {@code insideFirst} … {@code insideEnd} − 1 every query sees all of the tile's keys; the others need a
 * mask (FlashAttention-2 and -3, block.h). A tile with rows behind the last key needs one everywhere, see
 * {@link ScoreMask}; a block with rows behind the last query needs none for them.
 */
public record QueryBlocks(I32 first, I32 insideFirst, I32 insideEnd, I32 end) {

  /** @param firstKey the tile's first key, counted from the sequence's begin */
  public static QueryBlocks of(Band band, SeqlenInfo sequence, I32 firstKey, int tileM, int tileN) {
    var zero = firstKey.constant(0);
    var queries = sequence.queries();
    // The queries at the positions of the first and of the last key.
    var same = firstKey.minus(sequence.shift());
    var last = firstKey.plus(tileN).min(sequence.keys()).plus(-1).minus(sequence.shift());
    var seeing = band.right().isPresent() ? band.minusRight(same).max(0) : zero;
    var stop = band.left().isPresent() ? queries.min(band.plusLeft(last, 1)) : queries;
    var any = seeing.lessThan(stop).and(firstKey.lessThan(sequence.keys()));
    var first = seeing.dividedBy(tileM);
    var end = stop.max(0).ceilDiv(tileM).where(any, first);
    var insideFirst = first;
    var insideEnd = end;
    if (band.right().isPresent()) {
      insideFirst = band.minusRight(last).max(0).ceilDiv(tileM).max(first).min(end);
    }
    if (band.left().isPresent()) {
      // All of them where the last query sees the first key, though its block may not be full.
      var whole = band.plusLeft(same, 1);
      insideEnd = whole.max(0).dividedBy(tileM).min(end).where(whole.lessThan(queries), end).max(insideFirst);
    }
    // A tile with rows behind the last key goes to a loop with a mask that there is already, if there is one.
    var full = firstKey.plus(tileN - 1).lessThan(sequence.keys());
    if (band.right().isPresent()) {
      return new QueryBlocks(first, insideFirst.where(full, end), insideEnd.where(full, end), end);
    }
    return new QueryBlocks(first, first, insideEnd.where(full, first), end);
  }

  /** Returns these blocks, for numbers that are computed from them here, and not before. */
  public QueryBlocks settled() {
    return new QueryBlocks(first.settled(), insideFirst.settled(), insideEnd.settled(), end.settled());
  }

  /** Whether some query of a block may not see all of the tile's keys. */
  public Pred masked(I32 block) {
    return block.lessThan(insideFirst).or(block.lessThan(insideEnd).not());
  }
}
