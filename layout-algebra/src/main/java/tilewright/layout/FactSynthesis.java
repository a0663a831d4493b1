package tilewright.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.SearchLimitException;

/**
 * A layout through given facts (index ↦ offset), free everywhere else. Every layout's extents can be cut into primes,
 * so chains of primes are all that there is to search. Below the product of a chain's first primes only their strides
 * count: each prefix is a system of linear equations over the integers, and an inconsistent one ends the search there.
 */
public final class FactSynthesis {
  /** Prefixes that are tried before the search gives up; hard cases of a hundred facts take some thousands. */
  private static final int MOST_PREFIXES = 200_000;

  private final long[] indices;
  private final long[] offsets;
  private final int mostPrefixes;
  private int prefixes;

  private FactSynthesis(SortedMap<Long, Long> facts, int mostPrefixes) {
    this.indices = facts.keySet().stream().mapToLong(index -> index).toArray();
    this.offsets = facts.values().stream().mapToLong(offset -> offset).toArray();
    this.mostPrefixes = mostPrefixes;
  }

  /**
   * A coalesced layout with these offsets, if there is one.
   *
   * @param facts indices of at least 0
   * @throws SearchLimitException if the search is too long to say
   * @throws ArithmeticException if strides exceed 64 bits on the way
   */
  public static Optional<Layout> of(SortedMap<Long, Long> facts) {
    return of(facts, MOST_PREFIXES);
  }

  /** Gives up after that many chains of primes that are not known to be the last. */
  public static Optional<Layout> of(SortedMap<Long, Long> facts, int mostPrefixes) {
    if (facts.isEmpty()) return Optional.of(Layout.of(1, 0));
    if (facts.firstKey() < 0) throw new IllegalArgumentException("index " + facts.firstKey() + ": at least 0");
    if (facts.getOrDefault(0L, 0L) != 0) return Optional.empty();
    return new FactSynthesis(facts, mostPrefixes).search(new long[0], 1, AffineLattice.empty());
  }

  /**
   * Continues a chain.
   *
   * @param below the product of its extents; the facts below that hold
   */
  private Optional<Layout> search(long[] extents, long below, AffineLattice strides) {
    long last = indices[indices.length - 1] / below;
    // The last extent needs no prime: it ends behind the last fact.
    var ended = next(extents, below, strides, last + 1);
    if (ended.isPresent()) return Optional.of(layout(extents, last + 1, ended.get()));
    for (long prime = 2; prime <= last; prime = primeAfter(prime)) {
      if (++prefixes > mostPrefixes) throw SearchLimitException.after(mostPrefixes);
      var longer = next(extents, below, strides, prime);
      if (longer.isEmpty()) continue;
      var found = search(append(extents, prime), below * prime, longer.get());
      if (found.isPresent()) return found;
    }
    return Optional.empty();
  }

  /** The strides for which the facts below the longer chain's product hold. */
  private Optional<AffineLattice> next(long[] extents, long below, AffineLattice strides, long extent) {
    var longer = Optional.of(strides.withUnknown());
    int end = factsBelow(Math.multiplyExact(below, extent));
    for (int fact = factsBelow(below); fact < end && longer.isPresent(); fact++) {
      longer = longer.get().with(digits(indices[fact], append(extents, extent)), offsets[fact]);
    }
    return longer;
  }

  private int factsBelow(long end) {
    int count = 0;
    while (count < indices.length && indices[count] < end) count++;
    return count;
  }

  private static long[] digits(long index, long[] extents) {
    var digits = new long[extents.length];
    for (int i = 0; i < extents.length; i++) {
      digits[i] = index % extents[i];
      index /= extents[i];
    }
    return digits;
  }

  private static Layout layout(long[] extents, long last, AffineLattice strides) {
    List<Mode> modes = new ArrayList<>();
    for (int i = 0; i < extents.length; i++) modes.add(new Mode(extents[i], strides.point()[i]));
    modes.add(new Mode(last, strides.point()[extents.length]));
    return Modes.layout(modes).coalesce();
  }

  private static long[] append(long[] extents, long extent) {
    long[] longer = Arrays.copyOf(extents, extents.length + 1);
    longer[extents.length] = extent;
    return longer;
  }

  private static long primeAfter(long prime) {
    long next = prime + 1;
    while (!isPrime(next)) next++;
    return next;
  }

  private static boolean isPrime(long number) {
    for (long divisor = 2; divisor * divisor <= number; divisor++) {
      if (number % divisor == 0) return false;
    }
    return true;
  }
}
