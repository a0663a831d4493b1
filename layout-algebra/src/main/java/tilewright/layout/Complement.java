package tilewright.layout;

import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;

/**
 * The complement: the gaps between a layout's offsets, as a layout. It exists exactly when, sorted by stride, each
 * mode's extent · stride divides the next stride (Shah, Definition 2.6; necessary too for injective layouts).
 */
public final class Complement {
  private Complement() {}

  /**
   * The ordered layout that together with {@code layout} tiles the integers up to {@code bound}, rounded up to whole
   * tiles.
   *
   * @param bound 1 for the gaps between the offsets only
   */
  public static Decision<Layout> of(Layout layout, long bound) {
    return of(layout, bound, Dialect.CUTE_CPP);
  }

  /** Like {@link #of(Layout, long)}; the dialect chooses the form of an empty complement. */
  public static Decision<Layout> of(Layout layout, long bound, Dialect dialect) {
    if (bound < 1) return undefined(layout, bound, "the bound is at least 1", "got " + bound);
    var sorted = SortedModes.of(layout);
    if (sorted.isEmpty()) return undefined(layout, bound, "the layout is not empty", "its shape is " + layout.shape());
    var extents = new long[sorted.count() + 1];
    var strides = new long[sorted.count() + 1];
    int gaps = 0;
    long top = 1;
    for (int i = 0; i < sorted.count(); i++) {
      long stride = sorted.stride(i);
      if (stride < 0) return refuted(layout, bound, sorted.index(i), "strides are at least 0", "got " + stride, 0);
      if (stride % top != 0) return offChain(layout, bound, sorted, i, top);
      if (stride != top) {
        extents[gaps] = stride / top;
        strides[gaps++] = top;
      }
      top = Math.multiplyExact(sorted.extent(i), stride);
    }
    if (bound > top) {
      extents[gaps] = Math.ceilDiv(bound, top);
      strides[gaps++] = top;
    }
    var result = gaps == 0 && dialect.emptyComplement() == Dialect.EmptyComplement.TOP ? Layout.of(1, top)
        : SortedModes.layout(extents, strides, gaps);
    return new Decision.Defined<>(result, new TilingCertificate(layout, result, bound));
  }

  /** The offsets below the stride repeat with period {@code top}, so that the stride begins inside a copy of them. */
  private static Decision<Layout> offChain(Layout layout, long bound, SortedModes sorted, int mode, long top) {
    long stride = sorted.stride(mode);
    return refuted(layout, bound, sorted.index(mode),
        "sorted by stride, extent · stride of each mode divides the next stride", top + " does not divide " + stride,
        Math.multiplyExact(Math.ceilDiv(stride, top), top));
  }

  private static Decision<Layout> refuted(Layout layout, long bound, long index, String condition, String numbers,
      long demanded) {
    var witness = new Witness(layout.coordinate(index), index, demanded, layout.apply(index));
    return new Decision.Undefined<>("complement(" + layout + ", " + bound + ")", condition, OptionalInt.empty(),
        numbers, Optional.of(witness));
  }

  private static Decision<Layout> undefined(Layout layout, long bound, String condition, String numbers) {
    return Decision.Undefined.of("complement(" + layout + ", " + bound + ")", condition, numbers);
  }
}
