package tilewright.layout.xor;

import tilewright.layout.ComposedLayout;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.f2.F2Matrix;

/** How far a swizzled layout reaches. */
public final class SwizzledReach {
  private static final long LARGEST_TABLE = 1 << 24;

  private SwizzledReach() {}

  /**
   * One more than the largest offset, swizzle included; CuTe's {@code cosize} is that of the layout behind the swizzle.
   *
   * @throws SearchLimitException where sums carry and more than 2^24 elements would have to be listed
   */
  public static long of(ComposedLayout map) {
    if (map.size() == 0) return 0;
    if (AffineBits.of(map) instanceof Decision.Defined<AffineBits>(var bits, _)) return Math.addExact(largest(bits), 1);
    if (map.size() > LARGEST_TABLE) {
      throw new SearchLimitException("the largest offset of " + map + " is sought among at most 2^24 elements: it has "
          + map.size() + " and its sums carry");
    }
    long largest = 0;
    for (long i = 0; i < map.size(); i++) largest = Math.max(largest, map.apply(i));
    return Math.addExact(largest, 1);
  }

  /** Finds the largest output: from the highest bit down, each that can set a bit sets it, and none takes it away. */
  private static long largest(AffineBits bits) {
    long largest = bits.constant();
    for (long output : F2Matrix.of(bits.columns()).image().reversed()) {
      largest = Math.max(largest, largest ^ output);
    }
    return largest;
  }
}
