package tilewright.kernel.collective.attention;

import java.util.OptionalInt;

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

  /** Whether every query sees every key. */
  public boolean isAll() {
    return left.isEmpty() && right.isEmpty();
  }
}
