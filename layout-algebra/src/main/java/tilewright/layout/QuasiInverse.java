package tilewright.layout;

import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.decision.TableCertificate;

/**
 * Q with layout(Q(layout(i))) = layout(i): of the indices that share an offset, Q gives the least. Where no layout
 * does, the right inverse may: it can lead beyond the size, where the last mode runs on.
 */
public final class QuasiInverse {
  private static final long LARGEST = 1 << 12;

  private QuasiInverse() {}

  /** The left inverse if there is one, else the least index of each offset. */
  public static Decision<Layout> of(Layout layout) {
    var operation = "quasi-inverse of " + layout;
    if (Inverse.left(layout) instanceof Decision.Defined<Layout> left) return left;
    if (layout.size() > LARGEST) {
      return Decision.Undefined.of(operation, "a layout without left inverse has at most " + LARGEST + " elements",
          "it has " + layout.size());
    }
    var least = new TreeMap<Long, Long>();
    LongStream.range(0, layout.size()).forEach(i -> least.putIfAbsent(layout.apply(i), i));
    if (least.firstKey() < 0) {
      return Decision.Undefined.of(operation, "offsets are at least 0", "the least is " + least.firstKey());
    }
    try {
      return FactSynthesis.of(least)
          .or(() -> Optional.of(Inverse.right(layout, Dialect.RightInverse.MAXIMAL)).filter(q -> returns(q, layout)))
          .map(q -> found(q, layout)).orElseGet(() -> Decision.Undefined.of(operation,
              "a layout maps each offset to its least index", "no chain of extents gives one"));
    } catch (SearchLimitException e) {
      return Decision.Undefined.of(operation, "a search of all chains of extents ends in time", e.getMessage());
    }
  }

  private static boolean returns(Layout q, Layout layout) {
    return LongStream.range(0, layout.size()).map(layout::apply).allMatch(o -> layout.apply(q.apply(o)) == o);
  }

  private static Decision<Layout> found(Layout q, Layout layout) {
    return new Decision.Defined<>(q, new TableCertificate(layout + " after " + q + " after itself is itself",
        layout.size(), i -> layout.apply(q.apply(layout.apply(i))), layout::apply));
  }
}
