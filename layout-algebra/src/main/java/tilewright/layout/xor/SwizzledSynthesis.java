package tilewright.layout.xor;

import java.util.Optional;
import java.util.function.Function;
import tilewright.layout.ComposedLayout;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;

/** The simplest swizzle that leaves a layout behind it: a swizzle is its own inverse, so each is taken away in turn. */
public final class SwizzledSynthesis {
  private static final int TOP = 62;

  private final int length;
  private final int longestShift;
  private final Function<Swizzle, Optional<ComposedLayout>> behind;

  private SwizzledSynthesis(int length, long size, Function<Swizzle, Optional<ComposedLayout>> behind) {
    this.length = length;
    this.longestShift = length + F2Matrix.bitLength(size);
    this.behind = behind;
  }

  /**
   * The first of fewest bits; among those of fewest modes, then of shortest shift. Sums of {@code size} offsets are
   * below 2^length · size: a shift beyond that could only mend them where they add up without it.
   *
   * @param length offsets are below 2^length: a field with bits above does no more than a smaller one
   * @param size how many offsets there are
   * @param behind what is left behind a swizzle, if it is a layout
   */
  public static Optional<ComposedLayout> fewestBits(int length, long size,
      Function<Swizzle, Optional<ComposedLayout>> behind) {
    var plain = behind.apply(Swizzle.IDENTITY);
    if (plain.isPresent()) return plain;
    var search = new SwizzledSynthesis(length, size, behind);
    for (int bits = 1; bits <= length; bits++) {
      var best = search.fewestModes(bits);
      if (best.isPresent()) return best;
    }
    return Optional.empty();
  }

  private Optional<ComposedLayout> fewestModes(int bits) {
    Optional<ComposedLayout> best = Optional.empty();
    for (int distance = bits; distance <= longestShift; distance++) {
      for (int low = 0; low + bits <= length; low++) {
        best = better(best, bits, low - distance, distance);
        best = better(best, bits, low, -distance);
      }
    }
    return best;
  }

  private Optional<ComposedLayout> better(Optional<ComposedLayout> best, int bits, int base, int shift) {
    if (base < 0 || base + bits + Math.abs(shift) > TOP) return best;
    var found = behind.apply(new Swizzle(bits, base, shift));
    if (found.isEmpty() || best.isPresent() && modes(best.get()) <= modes(found.get())) return best;
    return found;
  }

  private static long modes(ComposedLayout layout) {
    return layout.shape().leaves().count();
  }
}
