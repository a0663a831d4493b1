package tilewright.layout.f2;

import java.util.Arrays;
import java.util.Optional;

/** The swizzle of the fewest bits that maps given offsets to given offsets, if there is one. */
public final class SwizzleFit {
  private static final int TOP = 62;

  private SwizzleFit() {}

  /** Sw with Sw(from[i]) = to[i]; all are at least 0. */
  public static Optional<Swizzle> of(long[] from, long[] to) {
    Optional<Swizzle> best = Optional.empty();
    for (int distance = 0; distance <= TOP; distance++) {
      for (int shift : new int[] {distance, -distance}) {
        var fit = withShift(from, to, shift);
        if (fit.isPresent() && (best.isEmpty() || fit.get().bits() < best.get().bits())) best = fit;
      }
    }
    return best;
  }

  /** Where no swizzle fits: the first pair up to which none does, with what one that fits all before it gives there. */
  public static Misfit misfit(long[] from, long[] to) {
    int fitting = 0;
    int failing = from.length;
    while (failing - fitting > 1) {
      int middle = fitting + (failing - fitting) / 2;
      if (of(Arrays.copyOf(from, middle), Arrays.copyOf(to, middle)).isPresent()) fitting = middle;
      else failing = middle;
    }
    var best = of(Arrays.copyOf(from, fitting), Arrays.copyOf(to, fitting)).orElseThrow();
    return new Misfit(fitting, to[fitting], best.apply(from[fitting]));
  }

  public record Misfit(int place, long demanded, long given) {}

  private static Optional<Swizzle> withShift(long[] from, long[] to, int shift) {
    long required = 0;
    long forbidden = 0;
    for (int i = 0; i < from.length; i++) {
      long change = from[i] ^ to[i];
      long read = shift >= 0 ? change << shift : change >> -shift;
      long written = shift >= 0 ? read >>> shift : read << -shift;
      if (written != change || (read & ~from[i]) != 0) return Optional.empty();
      required |= read;
      forbidden |= from[i] ^ read;
    }
    if (required == 0) return Optional.of(Swizzle.IDENTITY);
    int low = Long.numberOfTrailingZeros(required);
    int bits = F2Matrix.bitLength(required) - low;
    int base = low - Math.max(0, shift);
    long field = (1L << bits) - 1 << low;
    boolean legal = bits <= Math.abs(shift) && base + bits + Math.abs(shift) <= TOP;
    return legal && (field & forbidden) == 0 ? Optional.of(new Swizzle(bits, base, shift)) : Optional.empty();
  }
}
