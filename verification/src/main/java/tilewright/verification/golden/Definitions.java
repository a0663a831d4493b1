package tilewright.verification.golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.layout.Layout;

/**
 * The oracle: what the operations' definitions demand, as tables of offsets. It evaluates layouts and uses none of the
 * operations that it judges.
 */
final class Definitions {
  private Definitions() {}

  private record Mode(long extent, long stride) {}

  /** The offsets of all indices, the first mode fastest. */
  static long[] offsets(Layout layout) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    long[] offsets = {0};
    for (int i = 0; i < extents.length; i++) {
      long stride = strides[i];
      offsets = sums(offsets, table(extents[i], k -> Math.multiplyExact(k, stride)));
    }
    return offsets;
  }

  /** A(B(i)) for every i, the last mode of A unbounded as in CuTe. */
  static long[] composed(Layout a, Layout b) {
    long[] extents = a.flatShape();
    long[] strides = a.flatStride();
    return Arrays.stream(offsets(b)).map(index -> offset(extents, strides, index)).toArray();
  }

  private static long offset(long[] extents, long[] strides, long index) {
    long sum = 0;
    for (int i = 0; i < extents.length; i++) {
      boolean last = i + 1 == extents.length;
      sum = Math.addExact(sum, Math.multiplyExact(last ? index : index % extents[i], strides[i]));
      if (!last) index /= extents[i];
    }
    return sum;
  }

  /** Where a value stands first in a table. */
  static long find(long[] table, long value) {
    return IntStream.range(0, table.length).filter(i -> table[i] == value).findFirst().orElseThrow();
  }

  /** The colexicographic index of a coordinate. */
  static long index(long[] coordinate, long[] extents) {
    long index = 0;
    for (int i = extents.length - 1; i >= 0; i--) index = index * extents[i] + coordinate[i];
    return index;
  }

  /** {@code first(i) + second(j)}, i fastest. */
  static long[] sums(long[] first, long[] second) {
    var sums = new long[Math.multiplyExact(first.length, second.length)];
    for (int j = 0, at = 0; j < second.length; j++) {
      for (long offset : first) sums[at++] = Math.addExact(offset, second[j]);
    }
    return sums;
  }

  static long[] table(long size, LongUnaryOperator function) {
    return LongStream.range(0, size).map(function).toArray();
  }

  /** Whether some layout that refines {@code domain} has this table: each leaf alone does, and leaves add up. */
  static boolean isRealizable(long[] table, Layout domain) {
    if (table.length == 0 || table[0] != 0) return table.length == 0;
    long[] extents = domain.flatShape();
    long begin = 1;
    for (long extent : extents) {
      long step = begin;
      if (!isLayout(table(extent, k -> table[(int) (k * step)]))) return false;
      begin *= extent;
    }
    long[] sums = {0};
    long step = 1;
    for (long extent : extents) {
      long apart = step;
      sums = sums(sums, table(extent, k -> table[(int) (k * apart)]));
      step *= extent;
    }
    return Arrays.equals(sums, table);
  }

  /** Whether a layout has this table: cut at the longest linear prefix, again and again (greedy is exact here). */
  private static boolean isLayout(long[] table) {
    if (table.length <= 1) return true;
    int prefix = 2;
    while (prefix < table.length && table[prefix] == prefix * table[1]) prefix++;
    if (table.length % prefix != 0) return false;
    int linear = prefix;
    for (int k = 0; k < table.length; k++) {
      if (table[k] != table[k % linear] + table[k / linear * linear]) return false;
    }
    return isLayout(table(table.length / linear, k -> table[(int) k * linear]));
  }

  /** The ordered complement in [0, bound), rounded up; none where the chain of strides is not divisible. */
  static Optional<Layout> complement(Layout layout, long bound) {
    var modes = new ArrayList<Layout>();
    long top = 1;
    for (var mode : sortedByStride(layout)) {
      if (mode.stride() < 0 || mode.stride() % top != 0) return Optional.empty();
      modes.add(Layout.of(mode.stride() / top, top));
      top = mode.extent() * mode.stride();
    }
    modes.add(Layout.of(Math.ceilDiv(bound, top), top));
    return Optional.of(Layout.of(modes));
  }

  /** Modes of more than one element and a stride other than 0, adjacent ones that continue each other merged. */
  private static List<Mode> sortedByStride(Layout layout) {
    var merged = new ArrayList<Mode>();
    var extents = layout.flatShape();
    var strides = layout.flatStride();
    var modes = new ArrayList<Mode>();
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] != 1 && strides[i] != 0) modes.add(new Mode(extents[i], strides[i]));
    }
    modes.sort(Comparator.comparingLong(Mode::stride).thenComparingLong(Mode::extent));
    for (var mode : modes) {
      if (!merged.isEmpty() && merged.getLast().extent() * merged.getLast().stride() == mode.stride()) {
        var last = merged.removeLast();
        merged.add(new Mode(last.extent() * mode.extent(), last.stride()));
      } else {
        merged.add(mode);
      }
    }
    return merged;
  }

  static boolean isInjective(Layout layout) {
    long[] sorted = offsets(layout);
    Arrays.sort(sorted);
    return IntStream.range(1, sorted.length).noneMatch(i -> sorted[i - 1] == sorted[i]);
  }

  /** Each offset once, in order, if all occur equally often; nothing otherwise. */
  static Optional<long[]> uniformImage(Layout layout) {
    long[] sorted = offsets(layout);
    Arrays.sort(sorted);
    int often = 1;
    while (often < sorted.length && sorted[often] == sorted[0]) often++;
    if (sorted.length % often != 0) return Optional.empty();
    int times = often;
    long[] image = table(sorted.length / often, k -> sorted[(int) k * times]);
    for (int i = 0; i < sorted.length; i++) {
      if (sorted[i] != image[i / often] || i >= often && i % often == 0 && sorted[i] == sorted[i - 1]) {
        return Optional.empty();
      }
    }
    return Optional.of(image);
  }

  /** Whether no mode has one element and none continues the one before it. */
  static boolean isCoalesced(Layout layout) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    return IntStream.range(0, extents.length).noneMatch(
        i -> extents[i] == 1 || i > 0 && strides[i] == extents[i - 1] * strides[i - 1]);
  }
}
