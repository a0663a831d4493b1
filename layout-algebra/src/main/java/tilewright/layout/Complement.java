package tilewright.layout;

import java.util.ArrayList;
import java.util.Comparator;
import tilewright.layout.Modes.Mode;

/**
 * The complement: the gaps between a layout's offsets, as a layout. It exists exactly when, sorted by stride, each
 * mode's extent · stride divides the next stride (Shah, Definition 2.6; necessary too for injective layouts).
 */
final class Complement {
  private Complement() {}

  static Decision<Layout> of(Layout layout, long bound) {
    var operation = "complement(" + layout + ", " + bound + ")";
    if (bound < 1) return undefined(operation, "the bound is at least 1", "got " + bound);
    var sorted = Modes.of(layout.filter()).list().stream().filter(m -> m.extent() > 1)
        .sorted(Comparator.comparingLong(Mode::stride).thenComparingLong(Mode::extent)).toList();
    var gaps = new ArrayList<Mode>();
    long top = 1;
    for (var mode : sorted) {
      if (mode.stride() < 0) return undefined(operation, "strides are at least 0", "got " + mode.stride());
      if (mode.stride() % top != 0) {
        return undefined(operation, "sorted by stride, extent · stride of each mode divides the next stride",
            top + " does not divide " + mode.stride());
      }
      gaps.add(new Mode(mode.stride() / top, top));
      top = mode.reach();
    }
    gaps.add(new Mode(Math.ceilDiv(bound, top), top));
    var result = Modes.layout(gaps).coalesce();
    return new Decision.Defined<>(result, new TilingCertificate(layout, result, bound));
  }

  private static Decision<Layout> undefined(String operation, String condition, String numbers) {
    return Decision.Undefined.of(operation, condition, numbers);
  }
}
