package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.layout.Modes.Mode;

/**
 * The longest right inverse of a layout whose modes share offsets. Each mode of an inverse begins at an index of the
 * next offset; where several indices share it, all are tried, each with the longest extent first.
 */
final class LongestInverse {
  private static final long LARGEST = 1 << 12;
  /** Layouts met in practice take a few hundred. */
  private static final int MOST_COMPARISONS = 1 << 20;

  private final long[] offsets;
  private final List<List<Integer>> indices;
  private List<Mode> longest = List.of();
  private int length;
  private int comparisons;

  private LongestInverse(long[] offsets) {
    this.offsets = offsets;
    this.indices = indicesOfRun(offsets);
  }

  /** A longer one than {@code chain}, if there is one and the search comes upon it; else {@code chain}. */
  static Layout of(Layout layout, Layout chain) {
    return of(layout.size(), layout::apply, chain);
  }

  /** Like {@link #of(Layout, Layout)}, for the offsets of indices below {@code size}; below 0 stands for none. */
  static Layout of(long size, LongUnaryOperator offset, Layout chain) {
    if (size > LARGEST) return chain;
    var search = new LongestInverse(LongStream.range(0, size).map(offset).toArray());
    if (chain.size() == search.indices.size()) return chain;
    search.extend(new int[] {0}, List.of());
    return search.length > chain.size() ? Modes.layout(search.longest).coalesce() : chain;
  }

  /** The indices of offsets 0, 1, … up to the first offset that has none. */
  private static List<List<Integer>> indicesOfRun(long[] offsets) {
    var indices = Stream.generate(() -> (List<Integer>) new ArrayList<Integer>()).limit(offsets.length).toList();
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] >= 0 && offsets[i] < offsets.length) indices.get((int) offsets[i]).add(i);
    }
    int run = 0;
    while (run < indices.size() && !indices.get(run).isEmpty()) run++;
    return indices.subList(0, run);
  }

  /** @param places the indices of offsets 0, 1, … that the modes lead to */
  private void extend(int[] places, List<Mode> modes) {
    if (places.length > length) {
      length = places.length;
      longest = modes;
    }
    if (length == indices.size()) return;
    for (int step : indices.get(places.length)) {
      // What only goes on in the last mode was tried as a longer last mode.
      if (!modes.isEmpty() && modes.getLast().reach() == step) continue;
      for (int extent = repeats(places, step); extent > 1; extent--) {
        if (length == indices.size() || comparisons > MOST_COMPARISONS) return;
        var longer = new ArrayList<>(modes);
        longer.add(new Mode(extent, step));
        extend(repeated(places, step, extent), longer);
      }
    }
  }

  /** How many times the places, each time a step further, lead to the offsets behind. */
  private int repeats(int[] places, int step) {
    int most = indices.size() / places.length;
    for (int times = 1; times < most; times++) {
      for (int i = 0; i < places.length; i++) {
        comparisons++;
        long index = places[i] + (long) times * step;
        if (index >= offsets.length || offsets[(int) index] != i + times * places.length) return times;
      }
    }
    return most;
  }

  private static int[] repeated(int[] places, int step, int extent) {
    var longer = new int[places.length * extent];
    for (int i = 0; i < longer.length; i++) longer[i] = places[i % places.length] + i / places.length * step;
    return longer;
  }
}
