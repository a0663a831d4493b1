package tilewright.kernel.collective.attention;

import java.util.OptionalInt;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * The keys that a query sees, by their distance: from {@code left} before the query's own position to {@code right}
 * behind it; without a number, all of that side. Queries are aligned at the end: query i of Sq has position i + Sk −
 * Sq.
 *
 * @param atLaunch whether the launch gives the numbers, so that one kernel serves every window
 */
public record Band(OptionalInt left, OptionalInt right, boolean atLaunch) {
  /** The arguments that give the numbers to a kernel. */
  public static final String LEFT = "windowLeft";
  public static final String RIGHT = "windowRight";
  /** Every key. */
  public static final Band ALL = new Band(OptionalInt.empty(), OptionalInt.empty());
  /** Keys up to the query's own position. */
  public static final Band CAUSAL = new Band(OptionalInt.empty(), OptionalInt.of(0));

  /** How far a launch says that a bound is: positions of more than that are as far. */
  private static final int FARTHEST = GlobalTensor.MAX_EXTENT / 2;

  /** Bounds that are known when a kernel is traced. */
  public Band(OptionalInt left, OptionalInt right) {
    this(left, right, false);
  }

  /** A sliding window; both ends belong to it. */
  public static Band window(int left, int right) {
    return new Band(OptionalInt.of(left), OptionalInt.of(right));
  }

  /** A sliding window whose numbers are arguments of the kernel. */
  public static Band windowAtLaunch(int left, int right) {
    return new Band(OptionalInt.of(left), OptionalInt.of(right), true);
  }

  /** Returns what of this band a kernel is traced for: no numbers that the launch gives. */
  public Band traced() {
    return atLaunch ? windowAtLaunch(0, 0) : this;
  }

  /** Gives the numbers to a launch, where it needs them. */
  public void addTo(LaunchArguments arguments) {
    if (!atLaunch) return;
    arguments.integer(LEFT, Math.min(left.getAsInt(), FARTHEST)).integer(RIGHT, Math.min(right.getAsInt(), FARTHEST));
  }

  /** The place {@code more} behind the last key that a query at a position sees. */
  I32 plusRight(I32 position, int more) {
    return atLaunch ? position.plus(bound(position, RIGHT)).plus(more) : position.plus(right.getAsInt() + more);
  }

  /** The first query that sees the key at a position. */
  I32 minusRight(I32 position) {
    return atLaunch ? position.minus(bound(position, RIGHT)) : position.plus(-right.getAsInt());
  }

  /** The place {@code more} behind the last query that sees the key at a position. */
  I32 plusLeft(I32 position, int more) {
    return atLaunch ? position.plus(bound(position, LEFT)).plus(more) : position.plus(left.getAsInt() + more);
  }

  /** The place {@code more} before the first key that a query at a position sees. */
  I32 minusLeft(I32 position, int more) {
    return atLaunch ? position.minus(bound(position, LEFT)).plus(-more) : position.plus(-left.getAsInt() - more);
  }

  private static I32 bound(I32 beside, String name) {
    return beside.parameter(name).min(FARTHEST);
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
