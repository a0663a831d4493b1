package tilewright.kernel.collective.attention;

import java.util.OptionalInt;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * The keys that a query sees, by their distance: from {@code left} before the query's own position to {@code right}
 * behind it; without a number, all of that side. Queries are aligned at the end: query i of Sq has position i + Sk −
 * Sq.
 */
public record Band(OptionalInt left, OptionalInt right) {
  /** Every key. */
  public static final Band ALL = new Band(OptionalInt.empty(), OptionalInt.empty());
  /** Keys up to the query's own position. */
  public static final Band CAUSAL = new Band(OptionalInt.empty(), OptionalInt.of(0));

  /** A sliding window; both ends belong to it. */
  public static Band window(int left, int right) {
    return new Band(OptionalInt.of(left), OptionalInt.of(right));
  }

  /** Whether a query of a sequence sees a key; any answer where there is no such query or key. */
  Pred sees(Scope k, SeqlenInfo sequence, I32 query, I32 key) {
    var position = query.plus(sequence.shift());
    var seen = Pred.known(k, true);
    if (right.isPresent()) seen = seen.and(key.lessThan(position.plus(distance(right.getAsInt()) + 1)));
    if (left.isPresent()) seen = seen.and(position.plus(-distance(left.getAsInt()) - 1).lessThan(key));
    return seen;
  }

  /** Positions are below 2³⁰: more than that is as far. */
  private static int distance(int positions) {
    return Math.min(positions, GlobalTensor.MAX_EXTENT);
  }

  /** Whether every query sees every key. */
  public boolean isAll() {
    return left.isEmpty() && right.isEmpty();
  }
}
