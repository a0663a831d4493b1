package tilewright.layout;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import tilewright.layout.tuple.IntTuple;

/** Tuples to try laws on. */
public final class Tuples {
  private Tuples() {}

  /** Nested tuples, empty ones among them, of integers between these. */
  static Arbitrary<IntTuple> between(long least, long most) {
    return nested(Arbitraries.longs().between(least, most).map(IntTuple::of), 0);
  }

  /** Nested shapes with extents of at least 1. */
  public static Arbitrary<IntTuple> shapes() {
    return nested(Arbitraries.longs().between(1, 6).map(IntTuple::of), 1);
  }

  private static Arbitrary<IntTuple> nested(Arbitrary<IntTuple> leaf, int fewest) {
    Arbitrary<IntTuple> pair = leaf.list().ofMinSize(fewest).ofMaxSize(3).map(Tuples::tuple);
    return Arbitraries.oneOf(leaf, pair, Arbitraries.oneOf(leaf, pair)
        .list().ofMinSize(fewest).ofMaxSize(3).map(Tuples::tuple));
  }

  private static IntTuple tuple(List<IntTuple> elements) {
    return IntTuple.of(elements);
  }
}
