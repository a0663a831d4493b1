package tilewright.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.LongStream;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;

/** Right and left inverses, made of a layout's modes in the order of their strides. */
public final class Inverse {
  /** Larger layouts off the chain count as without left inverse. */
  private static final long LARGEST_SYNTHESIS = 1 << 12;

  private static final Comparator<Placed> BY_STRIDE = Comparator.comparingLong(placed -> placed.mode().stride());
  private static final Comparator<Placed> SHORTEST_FIRST =
      BY_STRIDE.thenComparingLong(placed -> placed.mode().extent());

  private Inverse() {}

  /** A mode and the index at which it begins to count. */
  private record Placed(Mode mode, long index) {}

  /**
   * The longest R with layout(R(i)) = i: the chain of strides gives it for an injective layout without negative
   * strides, a search for others. There always is one, for an empty layout the empty one.
   */
  public static Decision<Layout> right(Layout layout) {
    var result = layout.size() == 0 ? Layout.of(0, 0)
        : LongestInverse.of(layout, right(layout, Dialect.RightInverse.MAXIMAL));
    return new Decision.Defined<>(result, new TableCertificate(layout + " of " + result + "(i) is i", result.size(),
        i -> layout.apply(result.apply(i)), i -> i));
  }

  /** R with layout(R(i)) = i, as long as the dialect's chain of strides makes it. */
  public static Layout right(Layout layout, Dialect dialect) {
    return right(layout, dialect.rightInverse());
  }

  static Layout right(Layout layout, Dialect.RightInverse extent) {
    var inverse = new ArrayList<Mode>();
    var sorted = byStride(layout);
    if (extent == Dialect.RightInverse.PREFIX) sorted.sort(SHORTEST_FIRST);
    long next = 1;
    for (var placed : sorted) {
      if (placed.mode().stride() == next) {
        inverse.add(new Mode(placed.mode().extent(), placed.index()));
        next = Math.multiplyExact(next, placed.mode().extent());
      } else if (extent == Dialect.RightInverse.PREFIX) {
        break;
      }
    }
    return Modes.layout(inverse).coalesce();
  }

  /** L with L(layout(i)) = i. */
  public static Decision<Layout> left(Layout layout) {
    var operation = "left inverse of " + layout;
    var sorted = byStride(layout);
    var inverse = new ArrayList<Mode>();
    long stride = 1;
    long index = 0;
    long reach = 1;
    for (var placed : sorted) {
      var mode = placed.mode();
      if (mode.stride() < reach) {
        return synthesized(layout, Decision.Undefined.of(operation,
            "sorted by stride, no mode begins before the one below it ends",
            "stride " + mode.stride() + " < " + reach));
      }
      if (mode.stride() % stride != 0) {
        return synthesized(layout, Decision.Undefined.of(operation, "sorted by stride, each stride divides the next",
            stride + " does not divide " + mode.stride()));
      }
      inverse.add(new Mode(mode.stride() / stride, index));
      stride = mode.stride();
      index = placed.index();
      reach = mode.reach();
    }
    if (!sorted.isEmpty()) inverse.add(new Mode(sorted.getLast().mode().extent(), index));
    return leftInverse(Modes.layout(inverse).coalesce(), layout);
  }

  private static Decision<Layout> leftInverse(Layout result, Layout layout) {
    return new Decision.Defined<>(result, new TableCertificate(result + " of " + layout + "(i) is i", layout.size(),
        i -> result.apply(layout.apply(i)), i -> i));
  }

  /** Off the chain of strides a layout may still invert an injective one, with strides that no formula gives. */
  private static Decision<Layout> synthesized(Layout layout, Decision.Undefined<Layout> otherwise) {
    try {
      var collision = layout.collision();
      if (collision.isPresent()) return collided(layout, otherwise.operation(), collision.get());
      if (layout.size() > LARGEST_SYNTHESIS) return otherwise;
      var facts = new TreeMap<Long, Long>();
      LongStream.range(0, layout.size()).forEach(i -> facts.put(layout.apply(i), i));
      if (facts.firstKey() < 0) return otherwise;
      return FactSynthesis.of(facts).map(inverse -> leftInverse(inverse, layout)).orElse(otherwise);
    } catch (SearchLimitException e) {
      return Decision.Undefined.of(otherwise.operation(), "a search for collisions or chains of extents ends in time",
          e.getMessage());
    }
  }

  private static Decision<Layout> collided(Layout layout, String operation, Collision collision) {
    long second = collision.second();
    return new Decision.Undefined<>(operation, "no two indices share an offset", OptionalInt.empty(),
        "indices " + collision.first() + " and " + second + " share " + collision.offset(),
        Optional.of(new Witness(layout.coordinate(second), second, second, collision.first())));
  }

  private static List<Placed> byStride(Layout layout) {
    var placed = new ArrayList<Placed>();
    long index = 1;
    for (var mode : Modes.of(layout.coalesce()).list()) {
      if (mode.extent() > 1) placed.add(new Placed(mode, index));
      index = Math.multiplyExact(index, mode.extent());
    }
    placed.sort(BY_STRIDE);
    return placed;
  }
}
