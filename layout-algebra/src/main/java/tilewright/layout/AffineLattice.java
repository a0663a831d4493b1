package tilewright.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The integer solutions of linear equations: a point plus all integer combinations of directions.
 *
 * @param point one solution
 * @param directions linearly independent
 */
public record AffineLattice(long[] point, List<long[]> directions) {

  /** Before there is any unknown. */
  public static AffineLattice empty() {
    return new AffineLattice(new long[0], List.of());
  }

  /** One more unknown, which may be anything. */
  public AffineLattice withUnknown() {
    int unknowns = point.length + 1;
    var longer = new ArrayList<long[]>();
    for (var direction : directions) longer.add(Arrays.copyOf(direction, unknowns));
    var free = new long[unknowns];
    free[unknowns - 1] = 1;
    longer.add(free);
    return new AffineLattice(Arrays.copyOf(point, unknowns), longer);
  }

  /** The solutions that satisfy {@code coefficients · x = value} too, if there are any. */
  public Optional<AffineLattice> with(long[] coefficients, long value) {
    long missing = Math.subtractExact(value, dot(coefficients, point));
    var left = new ArrayList<>(directions);
    long[] step = reduce(left, coefficients);
    long progress = dot(coefficients, step);
    if (progress == 0) return missing == 0 ? Optional.of(this) : Optional.empty();
    if (missing % progress != 0) return Optional.empty();
    return Optional.of(new AffineLattice(plus(point, missing / progress, step), left));
  }

  /** Euclid's algorithm on what the directions contribute: all but the one taken out contribute nothing then. */
  private long[] reduce(List<long[]> left, long[] coefficients) {
    while (true) {
      int least = -1;
      for (int k = 0; k < left.size(); k++) {
        long contribution = dot(coefficients, left.get(k));
        if (contribution != 0
            && (least < 0 || Math.abs(contribution) < Math.abs(dot(coefficients, left.get(least))))) {
          least = k;
        }
      }
      if (least < 0) return new long[point.length];
      long unit = dot(coefficients, left.get(least));
      boolean alone = true;
      for (int k = 0; k < left.size(); k++) {
        long contribution = dot(coefficients, left.get(k));
        if (k == least || contribution == 0) continue;
        left.set(k, plus(left.get(k), -(contribution / unit), left.get(least)));
        alone &= contribution % unit == 0;
      }
      if (alone) return left.remove(least);
    }
  }

  private static long dot(long[] a, long[] b) {
    long sum = 0;
    for (int i = 0; i < a.length; i++) sum = Math.addExact(sum, Math.multiplyExact(a[i], b[i]));
    return sum;
  }

  private static long[] plus(long[] a, long times, long[] b) {
    var sum = new long[a.length];
    for (int i = 0; i < a.length; i++) sum[i] = Math.addExact(a[i], Math.multiplyExact(times, b[i]));
    return sum;
  }
}
