package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;

/** What morphisms mean, as tables of offsets, from the definition alone: no strides, no operation of ours. */
final class Tables {
  private Tables() {}

  /** Each index's digits in the domain, put at their positions, read as an index of the codomain. */
  static long[] of(TupleMorphism f) {
    long[] from = f.domain().flatten();
    long[] to = f.codomain().flatten();
    var table = new long[Math.toIntExact(product(from))];
    for (int x = 0; x < table.length; x++) {
      var digits = new long[to.length];
      long rest = x;
      for (int i = 0; i < from.length; i++) {
        if (f.map().get(i) != 0) digits[f.map().get(i) - 1] = rest % from[i];
        rest /= from[i];
      }
      for (int p = to.length - 1; p >= 0; p--) table[x] = table[x] * to[p] + digits[p];
    }
    return table;
  }

  static long[] after(long[] inner, long[] outer) {
    return Arrays.stream(inner).map(x -> outer[Math.toIntExact(x)]).toArray();
  }

  /** Every a[i] + b[j], i counting fastest. */
  static long[] sum(long[] a, long[] b, long scale) {
    var sum = new long[a.length * b.length];
    for (int k = 0; k < sum.length; k++) sum[k] = a[k % a.length] + scale * b[k / a.length];
    return sum;
  }

  /** Where translates of an image must lie to tile the integers below the bound: each first gap forces the next. */
  static long[] complement(long[] image, long bound) {
    var taken = new boolean[Math.toIntExact(bound)];
    var translates = new ArrayList<Long>();
    for (int at = 0; at < bound; at++) {
      if (taken[at]) continue;
      translates.add((long) at);
      for (long offset : image) {
        int place = Math.toIntExact(at + offset);
        assertTrue(place < bound && !taken[place], () -> Arrays.toString(image) + " does not tile " + bound);
        taken[place] = true;
      }
    }
    return translates.stream().mapToLong(Long::longValue).toArray();
  }

  static long product(long[] extents) {
    return Arrays.stream(extents).reduce(1, Math::multiplyExact);
  }

}
