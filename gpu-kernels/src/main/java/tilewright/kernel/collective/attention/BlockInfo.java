package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * The blocks of {@code tileN} keys that a tile of queries has to look at: {@code first} … {@code end} − 1. Of these
 * only {@code insideFirst} … {@code insideEnd} − 1 are seen whole by every query; the others need a mask
 * (FlashAttention-2 and -3, block.h).
 */
public record BlockInfo(I32 first, I32 insideFirst, I32 insideEnd, I32 end) implements BlockOrder {

  /** @param firstQuery the tile's first row, counted from the sequence's begin */
  public static BlockInfo of(Band band, SeqlenInfo sequence, I32 firstQuery, int tileM, int tileN) {
    return of(band, sequence, firstQuery, tileM, tileN, HeadPacking.NONE);
  }

  /** @param firstRow the tile's first row, counted from the sequence's begin */
  public static BlockInfo of(Band band, SeqlenInfo given, I32 firstRow, int tileM, int tileN, HeadPacking packing) {
    var sequence = given.divided();
    var zero = firstRow.constant(0);
    var lastRow = firstRow.plus(tileM).min(packing.rows(sequence.queries())).plus(-1);
    var position = packing.query(firstRow).plus(sequence.shift());
    var last = packing.query(lastRow).plus(sequence.shift());
    var end = sequence.keys();
    var insideEnd = sequence.keys();
    if (band.right().isPresent()) {
      // One behind the last key that the last query sees, and that the first query sees.
      end = end.min(band.plusRight(last, 1)).max(0);
      insideEnd = insideEnd.min(band.plusRight(position, 1)).max(0);
    }
    var first = zero;
    var insideFirst = zero;
    if (band.left().isPresent()) {
      first = band.minusLeft(position, 0).max(0).dividedBy(tileN);
      insideFirst = band.minusLeft(last, 0).max(0).ceilDiv(tileN);
    }
    if (given.before().isPresent()) insideFirst = insideFirst.max(given.before().get().ceilDiv(tileN));
    var blocks = end.ceilDiv(tileN).max(first);
    var whole = insideEnd.dividedBy(tileN).min(blocks).max(first);
    return new BlockInfo(first, insideFirst.min(whole).max(first), whole, blocks);
  }

  /** Returns those of these blocks that lie in {@code from} … {@code to} − 1. */
  BlockInfo within(I32 from, I32 to) {
    var begin = first.max(from);
    var stop = end.min(to).max(begin);
    return new BlockInfo(begin, insideFirst.max(begin).min(stop), insideEnd.max(begin).min(stop), stop);
  }

  /** Returns these blocks, or one block that no query sees where there is none. */
  public BlockInfo atLeastOne() {
    return new BlockInfo(first, insideFirst, insideEnd, end.max(first.plus(1)));
  }

  /** The work on block n of keys; {@code masked} where some query may not see all of it. */
  @FunctionalInterface
  public interface Body {
    void accept(I32 n, boolean masked);
  }

  /** Goes through all blocks from the last to the first. */
  public void descending(Scope k, Body body) {
    descending(k, insideEnd, end, true, body);
    descending(k, insideFirst, insideEnd, false, body);
    descending(k, first, insideFirst, true, body);
  }

  private static void descending(Scope k, I32 from, I32 to, boolean masked, Body body) {
    var blocks = to.minus(from);
    if (!blocks.lessThan(1).known().orElse(false)) k.loop(blocks, i -> body.accept(to.plus(-1).minus(i), masked));
  }

  @Override
  public Pred any() {
    return first.lessThan(end);
  }

  @Override
  public I32 begin() {
    return end.plus(-1);
  }

  @Override
  public void visit(Scope k, Visitor visitor) {
    descending(k, (n, masked) -> visitor.accept(n, masked, n.plus(-1), first.lessThan(n)));
  }
}
