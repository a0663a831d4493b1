package tilewright.layout.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.Coalesce;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.Modes;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.f2.SwizzleFit;

/**
 * Layout ∘ swizzle as swizzle ∘ layout. Where the layout is linear over F2, so are both sides and the index's bits
 * decide; elsewhere all indices do.
 */
public final class SwizzleExchange {
  private static final long LARGEST_TABLE = 1 << 20;

  private SwizzleExchange() {}

  /** Sw ∘ layout with the same offsets as layout ∘ inner; beyond the size the last mode runs on. */
  public static Decision<ComposedLayout> of(Layout layout, Swizzle inner) {
    var operation = layout + " ∘ " + inner;
    boolean linear = isLinearWhere(layout, inner);
    if (!linear && layout.size() > LARGEST_TABLE) {
      return Decision.Undefined.of(operation, "a layout whose sums carry has at most 2^20 elements",
          "it has " + layout.size());
    }
    long[] indices = linear ? powers(layout.size()) : all(layout.size());
    var from = Arrays.stream(indices).map(layout::apply).toArray();
    var to = Arrays.stream(indices).map(i -> layout.apply(inner.apply(i))).toArray();
    for (int k = 0; k < indices.length; k++) {
      long offset = Math.min(from[k], to[k]);
      if (offset < 0) {
        return refuted(operation, "every offset is at least 0", "got " + offset,
            new Witness(layout.coordinate(indices[k]), indices[k], 0, offset));
      }
    }
    var fit = SwizzleFit.of(from, to);
    if (fit.isEmpty()) {
      var misfit = SwizzleFit.misfit(from, to);
      long index = indices[misfit.place()];
      return refuted(operation, "one swizzle changes the layout's offsets as the given one its indices",
          change(from, to), new Witness(layout.coordinate(index), index, misfit.demanded(), misfit.given()));
    }
    var result = new ComposedLayout(fit.get(), 0, layout);
    return new Decision.Defined<>(result, new TableCertificate(result + "(i) = " + layout + "(" + inner + "(i))",
        layout.size(), result::apply, i -> layout.apply(inner.apply(i))));
  }

  private static Decision<ComposedLayout> refuted(String operation, String condition, String numbers, Witness witness) {
    return new Decision.Undefined<>(operation, condition, OptionalInt.empty(), numbers, Optional.of(witness));
  }

  /** Whether bits add up on all indices below the size and on what the swizzle makes of them. */
  private static boolean isLinearWhere(Layout layout, Swizzle inner) {
    if (Long.bitCount(layout.size()) != 1) return false;
    long largest = layout.size() - 1;
    int bits = F2Matrix.bitLength(largest | (largest & inner.readMask()) << Math.max(0, -inner.shift()));
    var modes = new ArrayList<>(Coalesce.extended(layout));
    long below = layout.size() / modes.getLast().extent();
    long last = Math.max(modes.getLast().extent(), Math.ceilDiv(1L << bits, below));
    modes.add(new Modes.Mode(last, modes.removeLast().stride()));
    return AffineBits.of(new ComposedLayout(Swizzle.IDENTITY, 0, Modes.layout(modes))) instanceof Decision.Defined;
  }

  private static long[] powers(long size) {
    var powers = new long[Long.numberOfTrailingZeros(size)];
    Arrays.setAll(powers, bit -> 1L << bit);
    return powers;
  }

  private static long[] all(long size) {
    var all = new long[(int) size];
    Arrays.setAll(all, i -> i);
    return all;
  }

  private static String change(long[] from, long[] to) {
    return from.length <= 16
        ? "offsets " + Arrays.toString(from) + " become " + Arrays.toString(to)
        : from.length + " offsets become " + to.length + " others";
  }
}
