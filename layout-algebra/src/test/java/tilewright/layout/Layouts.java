package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Layouts to try laws on: all small ones, and random larger ones. */
public final class Layouts {
  private Layouts() {}

  /** Every flat layout of rank at most {@code rank} with extents and strides up to these. */
  public static void each(int rank, long extents, long strides, Consumer<Layout> law) {
    extend(List.of(), rank, extents, strides, law);
  }

  private static void extend(List<Layout> modes, int rank, long extents, long strides, Consumer<Layout> law) {
    if (!modes.isEmpty()) law.accept(Layout.of(modes));
    if (modes.size() == rank) return;
    for (long extent = 1; extent <= extents; extent++) {
      for (long stride = 0; stride <= strides; stride++) {
        var more = new ArrayList<>(modes);
        more.add(Layout.of(extent, stride));
        extend(more, rank, extents, strides, law);
      }
    }
  }

  /** Nested layouts of at most a few thousand elements. */
  static Arbitrary<Layout> any() {
    var leaf = Arbitraries.longs().between(1, 6).flatMap(extent ->
        Arbitraries.longs().between(0, 40).map(stride -> Layout.of(extent, stride)));
    var pair = leaf.list().ofMinSize(1).ofMaxSize(3).map(Layout::of);
    return Arbitraries.oneOf(leaf, pair, Arbitraries.oneOf(leaf, pair).list().ofMinSize(1).ofMaxSize(3)
        .map(Layout::of));
  }

  /** Layouts that reach each of 0…size−1 once: a compact layout with its modes in any order. */
  public static Arbitrary<Layout> compact() {
    return Arbitraries.longs().between(1, 6).list().ofMinSize(1).ofMaxSize(4).flatMap(extents ->
        Arbitraries.shuffle(indices(extents.size())).map(order -> {
          var modes = new Layout[extents.size()];
          long stride = 1;
          for (int place : order) {
            modes[place] = Layout.of(extents.get(place), stride);
            stride *= extents.get(place);
          }
          return Layout.of(modes);
        }));
  }

  private static List<Integer> indices(int count) {
    return IntStream.range(0, count).boxed().toList();
  }
}
