package tilewright.layout;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.LongStream;

/** The simplest swizzled layout that has given offsets: a swizzle is its own inverse, so each is taken away in turn. */
final class SwizzledSynthesis {
  private static final int TOP = 62;

  private final int length;
  private final int longestShift;
  private final Function<Swizzle, Optional<ComposedLayout>> behind;

  private SwizzledSynthesis(int length, long size, Function<Swizzle, Optional<ComposedLayout>> behind) {
    this.length = length;
    this.longestShift = length + F2Matrix.bitLength(size);
    this.behind = behind;
  }

  static Decision<ComposedLayout> of(long... table) {
    var plain = LayoutSynthesis.offsetLayout(table);
    if (plain instanceof Decision.Defined || LongStream.of(table).anyMatch(offset -> offset < 0)) return plain;
    int length = F2Matrix.bitLength(LongStream.of(table).reduce(0, (a, b) -> a | b));
    return fewestBits(length, table.length, swizzle -> behind(swizzle, table))
        .map(found -> LayoutSynthesis.behind(found.swizzle(), table)).orElseGet(() -> none(plain));
  }

  private static Decision<ComposedLayout> none(Decision<ComposedLayout> plain) {
    return switch (plain) {
      case Decision.Defined<ComposedLayout> defined -> defined;
      case Decision.Undefined<ComposedLayout> undefined -> new Decision.Undefined<>(
          "swizzle of " + undefined.operation(), "some swizzle of fields below bit 62 leaves an offset and a layout",
          undefined.mode(), "none does, and without one " + undefined.numbers(), undefined.witness());
    };
  }

  private static Optional<ComposedLayout> behind(Swizzle swizzle, long[] table) {
    long offset = swizzle.apply(table[0]);
    return Synthesis.of(table.length, i -> swizzle.apply(table[(int) i]) - offset)
        .map(layout -> new ComposedLayout(swizzle, offset, layout));
  }

  /**
   * The first of fewest bits; among those of fewest modes, then of shortest shift. Sums of {@code size} offsets are
   * below 2^length · size: a shift beyond that could only mend them where they add up without it.
   *
   * @param length offsets are below 2^length: a field with bits above does no more than a smaller one
   * @param size how many offsets there are
   * @param behind what is left behind a swizzle, if it is a layout
   */
  static Optional<ComposedLayout> fewestBits(int length, long size,
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
