package tilewright.layout;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.tuple.TupleArithmetic;

/**
 * Decides whether a layout is injective: two coordinates collide exactly when their difference x, |x_k| below the
 * extent, has Σ x_k · stride_k = 0. The modes are tried from the longest stride down, each only where the shorter ones
 * can still make up for it; so a layout whose modes, sorted by stride, lie beyond each other takes one step a mode.
 */
final class CollisionSearch {
  /** Deciding any set of strides is as hard as subset sum; layouts met in practice take a few steps. */
  private static final int LIMIT = 1 << 20;

  private final Layout layout;
  private final List<Mode> leaves;
  private final List<Integer> order;
  private final long[] behind;
  private final long[] common;
  private final long[] difference;
  private int steps;

  private CollisionSearch(Layout layout) {
    this.layout = layout;
    leaves = Modes.of(layout).list();
    order = IntStream.range(0, leaves.size()).filter(i -> leaves.get(i).extent() > 1).boxed()
        .sorted(Comparator.comparing((Integer i) -> Math.absExact(leaves.get(i).stride())).reversed()).toList();
    difference = new long[leaves.size()];
    behind = new long[order.size()];
    common = new long[order.size() + 1];
    long reach = 0;
    for (int k = order.size() - 1; k >= 0; k--) {
      var mode = leaves.get(order.get(k));
      behind[k] = reach;
      reach = Math.addExact(reach, Math.multiplyExact(mode.extent() - 1, Math.absExact(mode.stride())));
      common[k] = TupleArithmetic.gcd(mode.stride(), common[k + 1]);
    }
  }

  /** @throws SearchLimitException where a million steps do not decide */
  static Optional<Collision> of(Layout layout) {
    if (layout.size() == 0) return Optional.empty();
    var search = new CollisionSearch(layout);
    return search.reaches(0, 0, false) ? Optional.of(search.collision()) : Optional.empty();
  }

  /**
   * Whether modes from {@code k} on can differ by {@code target}, which is within their reach; {@code begun} when a
   * longer one already differs.
   */
  private boolean reaches(int k, long target, boolean begun) {
    if (begun && target == 0) return true;
    if (k == order.size()) return false;
    int place = order.get(k);
    long most = leaves.get(place).extent() - 1;
    long stride = leaves.get(place).stride();
    if (stride == 0) {
      difference[place] = 1;
      return true;
    }
    if (target % common[k] != 0) return false;
    long width = Math.absExact(stride);
    long centre = Long.signum(stride) * target;
    long low = Math.max(begun ? -most : 0, Math.ceilDiv(Math.subtractExact(centre, behind[k]), width));
    long high = Math.min(most, Math.floorDiv(Math.addExact(centre, behind[k]), width));
    // From 0 only multiples of this leave the shorter modes something that they can make up for.
    long step = begun ? 1 : Math.max(1, common[k + 1] / TupleArithmetic.gcd(common[k + 1], width));
    for (long x = low; x <= high; x += step) {
      if (steps++ == LIMIT) throw SearchLimitException.after(LIMIT);
      if (reaches(k + 1, target - x * stride, begun || x != 0)) {
        difference[place] = x;
        return true;
      }
    }
    return false;
  }

  private Collision collision() {
    long first = 0;
    long second = 0;
    long index = 1;
    for (int i = 0; i < difference.length; i++) {
      first += index * Math.max(0, difference[i]);
      second += index * Math.max(0, -difference[i]);
      index *= leaves.get(i).extent();
    }
    return new Collision(Math.min(first, second), Math.max(first, second), layout.apply(first));
  }
}
