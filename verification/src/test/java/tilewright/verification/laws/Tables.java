package tilewright.verification.laws;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.LongStream;

/** Questions about tables of offsets, answered by trying everything. */
final class Tables {
  private static final ConcurrentMap<Integer, List<long[]>> FACTORISATIONS = new ConcurrentHashMap<>();

  private Tables() {}

  static long[] sorted(long[] table) {
    long[] sorted = table.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  static boolean isInjective(long[] table) {
    return LongStream.of(table).distinct().count() == table.length;
  }

  /** Whether the table is a rearrangement of 0…length − 1. */
  static boolean isBijective(long[] table) {
    return Arrays.equals(sorted(table), LongStream.range(0, table.length).toArray());
  }

  /** The length of the longest prefix of 0, 1, 2, … that consists of entries. */
  static int coveredPrefix(long[] table) {
    long[] sorted = sorted(table);
    int covered = 0;
    for (long entry : sorted) {
      if (entry == covered) covered++;
    }
    return covered;
  }

  /** The least rank of a layout with this table, by trying all shapes; −1 if there is none. */
  static int leastRank(long[] table) {
    int least = -1;
    for (var shape : factorisations(table.length)) {
      if ((least < 0 || shape.length < least) && hasShape(table, shape)) least = shape.length;
    }
    return least;
  }

  static boolean isLayout(long[] table) {
    return leastRank(table) >= 0;
  }

  /** Whether the layout of this shape whose strides the table names has the table. */
  private static boolean hasShape(long[] table, long[] shape) {
    if (table[0] != 0) return false;
    return Arrays.equals(table, new Definition(shape, strides(table, shape)).table());
  }

  private static long[] strides(long[] table, long[] shape) {
    var stride = new long[shape.length];
    int step = 1;
    for (int k = 0; k < shape.length; k++) {
      stride[k] = table[step];
      step *= Math.toIntExact(shape[k]);
    }
    return stride;
  }

  /** Whether a layout that refines these extents has the table: each mode's a layout's, their sums the whole. */
  static boolean isLayoutOver(long[] shape, long[] table) {
    if (table[0] != 0) return false;
    int step = 1;
    for (long extent : shape) {
      var mode = new long[Math.toIntExact(extent)];
      for (int k = 0; k < extent; k++) mode[k] = table[k * step];
      if (!isLayout(mode)) return false;
      step *= Math.toIntExact(extent);
    }
    for (int i = 0; i < table.length; i++) {
      long sum = 0;
      int rest = i;
      step = 1;
      for (long extent : shape) {
        sum += table[rest % Math.toIntExact(extent) * step];
        rest /= Math.toIntExact(extent);
        step *= Math.toIntExact(extent);
      }
      if (sum != table[i]) return false;
    }
    return true;
  }

  /** The layout of least rank with the table; the table must be one's. */
  static Definition coalesced(long[] table) {
    Definition least = null;
    for (var shape : factorisations(table.length)) {
      if ((least == null || shape.length < least.shape().length) && hasShape(table, shape)) {
        least = new Definition(shape, strides(table, shape));
      }
    }
    return Optional.ofNullable(least).orElseThrow(() -> new AssertionError(Arrays.toString(table)));
  }

  /**
   * Where copies of a set of offsets begin that together are 0…n − 1 for some n of at least {@code bound}, each once:
   * the next copy must begin at the first gap. Empty if two overlap.
   *
   * @throws AssertionError if neither is so 200 places beyond the bound
   */
  static Optional<long[]> tiling(long[] offsets, long bound) {
    var taken = new BitSet();
    var begins = LongStream.builder();
    while (taken.length() < bound || taken.nextClearBit(0) < taken.length()) {
      int at = taken.nextClearBit(0);
      if (at > bound + 200) throw new AssertionError("undecided: " + Arrays.toString(offsets));
      begins.add(at);
      for (long offset : offsets) {
        if (offset < 0) return Optional.empty();
        int place = Math.toIntExact(at + offset);
        if (taken.get(place)) return Optional.empty();
        taken.set(place);
      }
    }
    return Optional.of(begins.build().toArray());
  }

  /** All ways to write a number as a product of factors from 2 on, in every order. */
  static List<long[]> factorisations(int number) {
    var known = FACTORISATIONS.get(number);
    if (known != null) return known;
    var all = new ArrayList<long[]>();
    if (number == 1) all.add(new long[0]);
    for (int first = 2; first <= number; first++) {
      if (number % first != 0) continue;
      long factor = first;
      for (var rest : factorisations(number / first)) {
        all.add(LongStream.concat(LongStream.of(factor), LongStream.of(rest)).toArray());
      }
    }
    FACTORISATIONS.put(number, List.copyOf(all));
    return all;
  }
}
