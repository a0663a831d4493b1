package tilewright.layout.bank;

import java.util.Optional;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;

/**
 * The widest access with which threads can load or store their values: neighbours in memory, aligned to the access.
 *
 * @param values that a thread accesses at once, a power of two
 * @param obstacle why not twice as many
 */
public record VectorAccess(int values, int bytes, String obstacle) {
  private static final int WIDEST_BYTES = 16;

  /**
   * @param threadValue (thread, value) → index
   * @param memory index → element, the first of which is aligned to 16 bytes
   */
  public static VectorAccess widest(Layout threadValue, OffsetMap memory, int elementBytes) {
    if (threadValue.rank() != 2) {
      throw new IllegalArgumentException(threadValue + " has rank " + threadValue.rank()
          + "; a thread-value layout has a mode of threads and a mode of values");
    }
    ElementBytes.check(elementBytes);
    var values = 1;
    while (true) {
      var obstacle = obstacle(threadValue, memory, elementBytes, 2 * values);
      if (obstacle.isPresent()) return new VectorAccess(values, values * elementBytes, obstacle.get());
      values *= 2;
    }
  }

  private static Optional<String> obstacle(Layout threadValue, OffsetMap memory, int elementBytes, int wanted) {
    var threads = threadValue.shape().mode(0).size();
    var values = threadValue.shape().mode(1).size();
    if ((long) wanted * elementBytes > WIDEST_BYTES) {
      return Optional.of("a thread accesses " + WIDEST_BYTES + " bytes at most");
    }
    if (values % wanted != 0) return Optional.of(values + " values of a thread are no multiple of " + wanted);
    for (long first = 0; first < values; first += wanted) {
      for (long thread = 0; thread < threads; thread++) {
        var start = memory.apply(threadValue.apply(first * threads + thread));
        var at = Math.multiplyExact(start, (long) elementBytes);
        if (at % ((long) wanted * elementBytes) != 0) {
          return Optional.of("value " + first + " of thread " + thread + " is at byte " + at + ", no multiple of "
              + wanted * elementBytes);
        }
        for (var i = 1; i < wanted; i++) {
          var offset = memory.apply(threadValue.apply((first + i) * threads + thread));
          if (offset != start + i) {
            return Optional.of("value " + (first + i) + " of thread " + thread + " is at element " + offset
                + ", not behind value " + (first + i - 1) + " at " + (start + i));
          }
        }
      }
    }
    return Optional.empty();
  }
}
