package tilewright.kernel.collective.attention;

import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Finds, with all threads of a CTA, what a mask and a band show of a block of queries and keys: by the mask's function
 * pair by pair, or by the lists that the user gives.
 */
public final class BlockContents {
  /** Threads of a CTA. */
  public static final int THREADS = 128;

  private final Scope s;
  private final I32 thread;
  private final Modification modification;
  private final Band band;
  private final SeqlenInfo sequence;
  private final int tileM;
  private final int tileN;
  private final SharedTensor sums;

  /**
   * @param sequence of the queries and keys
   * @param tileM queries of a block; {@code tileN} keys
   */
  public BlockContents(Scope s, I32 thread, Modification modification, Band band, SeqlenInfo sequence, int tileM,
      int tileN) {
    this.s = s;
    this.thread = thread;
    this.modification = modification;
    this.band = band;
    this.sequence = sequence;
    this.tileM = tileM;
    this.tileN = tileN;
    sums = s.shared(ElementType.I32, Layout.columnMajor(2, THREADS / Warp.SIZE));
  }

  /** Looks at block {@code n} of keys for the queries from {@code firstQuery} on. */
  public void look(I32 batch, I32 head, I32 firstQuery, I32 n) {
    var zero = s.constant(0);
    var seen = s.variable(zero, tileM * tileN);
    var hidden = s.variable(zero, tileM * tileN);
    modification.blocks().ifPresentOrElse(given -> compare(given, batch, head, firstQuery, n, seen, hidden),
        () -> evaluate(batch, head, firstQuery, n, seen, hidden));
    s.barrier();
    leave(0, seen);
    leave(1, hidden);
    s.barrier();
  }

  /** Whether some pair of the block is seen. */
  public Pred someSeen() {
    return total(0).atLeast(1);
  }

  /** Whether every pair is whose query exists. */
  public Pred allSeen() {
    return total(1).equalTo(0);
  }

  private void evaluate(I32 batch, I32 head, I32 firstQuery, I32 n, I32.Variable seen, I32.Variable hidden) {
    s.loop(thread, s.constant(tileM * tileN), THREADS, element -> {
      var query = firstQuery.plus(element.dividedBy(tileN));
      var key = n.times(tileN).plus(element.modulo(tileN));
      var exists = query.lessThan(sequence.queries());
      var visible = key.lessThan(sequence.keys()).and(band.sees(s, sequence, query, key))
          .and(modification.visible(s, batch, head, query, key));
      count(seen, exists.and(visible));
      count(hidden, exists.and(visible.not()));
    });
  }

  /**
   * Looks for the block in the lists of its row. A block that the keys do not fill, or of which a band hides some, is
   * seen in part.
   */
  private void compare(GivenBlocks given, I32 batch, I32 head, I32 firstQuery, I32 n, I32.Variable seen,
      I32.Variable hidden) {
    var row = firstQuery.dividedBy(given.queries());
    var block = n.times(tileN).dividedBy(given.keys());
    var banded = BlockInfo.of(band, sequence, firstQuery, tileM, tileN);
    var shown = n.lessThan(banded.first()).not().and(n.lessThan(banded.end()));
    count(hidden, n.lessThan(banded.insideFirst()).or(n.lessThan(banded.insideEnd()).not()));
    each(GivenBlocks.Traced.of(s, GivenBlocks.PARTIAL), batch, head, row, block, found -> {
      count(seen, found.and(shown));
      count(hidden, found);
    });
    if (given.full().isPresent()) {
      each(GivenBlocks.Traced.of(s, GivenBlocks.FULL), batch, head, row, block,
          found -> count(seen, found.and(shown)));
    }
  }

  private void each(GivenBlocks.Traced lists, I32 batch, I32 head, I32 row, I32 block,
      Consumer<Pred> body) {
    var entries = lists.counts().at(batch, head, row).loadInteger().min(lists.indices().extent(3));
    s.loop(thread, entries, THREADS, i ->
        body.accept(lists.indices().at(batch, head, row, i).loadInteger().equalTo(block)));
  }

  private void count(I32.Variable sum, Pred one) {
    sum.set(sum.value().plus(s.constant(1).where(one, 0)));
  }

  /** Each warp leaves its sum. */
  private void leave(int kind, I32.Variable mine) {
    var sum = Shuffle.sum(s, mine.value());
    s.when(thread.modulo(Warp.SIZE).equalTo(0),
        () -> sums.at(s.constant(kind), thread.dividedBy(Warp.SIZE)).store(sum));
  }

  private I32 total(int kind) {
    var total = s.constant(0);
    for (int warp = 0; warp < THREADS / Warp.SIZE; warp++) {
      total = total.plus(sums.at(s.constant(kind), s.constant(warp)).loadInteger(1 << 20));
    }
    return total;
  }

  /** Appends a number to a list (entries, 1, …) and counts it. */
  public static void append(GlobalTensor list, I32.Variable count, I32 number) {
    var zero = number.constant(0);
    list.at(count.value(), zero, zero, zero).store(number);
    count.set(count.value().plus(1));
  }
}
