package tilewright.kernel.collective.attention;

import java.util.OptionalInt;
import tilewright.kernel.GlobalTensor;

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

  /**
   * This band as a mask.
   *
   * @param offset the position, among the keys, of the first query
   */
  public MaskMod mask(int offset) {
    int before = distance(offset - 1L - left.orElse(GlobalTensor.MAX_EXTENT));
    int end = distance(offset + 1L + right.orElse(GlobalTensor.MAX_EXTENT));
    MaskMod begun = (b, h, q, k) -> q.plus(before).lessThan(k);
    MaskMod ended = (b, h, q, k) -> k.lessThan(q.plus(end));
    return left.isEmpty() ? ended : right.isEmpty() ? begun : begun.and(ended);
  }

  /** Positions are below 2³⁰: more than that is as far. */
  private static int distance(long positions) {
    return (int) Math.clamp(positions, -GlobalTensor.MAX_EXTENT, GlobalTensor.MAX_EXTENT);
  }

  /** Whether every query sees every key. */
  public boolean isAll() {
    return left.isEmpty() && right.isEmpty();
  }
}
