package tilewright.layout;

import java.util.ArrayList;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongUnaryOperator;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/**
 * The one coalesced layout that has a given table of offsets, if there is one. Its first mode is as long as the table
 * is linear, the second continues at multiples of the first's extent, and so on; nothing is left to choose.
 */
public final class Synthesis {
  private final String operation;
  private final IntTuple shape;
  private final LongUnaryOperator table;

  private Synthesis(String operation, IntTuple shape, LongUnaryOperator table) {
    this.operation = operation;
    this.shape = shape;
    this.table = table;
  }

  /** The table is read at 0…{@code size} − 1. */
  public static Optional<Layout> of(long size, LongUnaryOperator table) {
    return decide("layout", size, table) instanceof Decision.Defined<Layout>(var layout, _)
        ? Optional.of(layout)
        : Optional.empty();
  }

  public static Decision<Layout> decide(String operation, long size, LongUnaryOperator table) {
    var synthesis = new Synthesis(operation, IntTuple.of(size), table);
    return synthesis.checked(synthesis.leaf(size, 1));
  }

  /** The layout whose shape refines {@code shape}. */
  public static Decision<Layout> refining(String operation, IntTuple shape, LongUnaryOperator table) {
    var synthesis = new Synthesis(operation, shape, table);
    return synthesis.checked(synthesis.tree(shape, 1));
  }

  private Decision<Layout> tree(IntTuple shape, long unit) {
    if (shape instanceof IntTuple.Leaf leaf) return leaf(leaf.value(), unit);
    var modes = new ArrayList<Layout>();
    for (var mode : shape.modes()) {
      switch (tree(mode, unit)) {
        case Decision.Undefined<Layout> undefined -> {
          return undefined;
        }
        case Decision.Defined<Layout> defined -> modes.add(defined.result());
      }
      unit = Math.multiplyExact(unit, mode.size());
    }
    return defined(Layout.of(modes));
  }

  /** The table at multiples of {@code unit}. */
  private Decision<Layout> leaf(long size, long unit) {
    if (shape.size() == 0) return defined(Layout.of(size, 0));
    if (table.applyAsLong(0) != 0) return refuted("a layout gives 0 at index 0", 0, 0);
    var modes = new ArrayList<Mode>();
    long below = 1;
    while (below < size) {
      long stride = table.applyAsLong(below * unit);
      long extent = 1;
      while (extent * below < size && table.applyAsLong(extent * below * unit) == extent * stride) extent++;
      if (size % (below * extent) != 0) {
        return refuted("offsets go on by stride " + stride + " for a number of times that divides " + size / below,
            extent * below * unit, extent * stride);
      }
      modes.add(new Mode(extent, stride));
      below *= extent;
    }
    return defined(Modes.layout(modes));
  }

  private Decision<Layout> checked(Decision<Layout> candidate) {
    if (!(candidate instanceof Decision.Defined<Layout>(var layout, _))) return candidate;
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    long size = shape.size();
    for (long i = 0; i < size; i++) {
      long sum = sum(i, extents, strides);
      if (sum != table.applyAsLong(i)) {
        return refuted("offsets are sums of what each mode gives alone, as in " + layout, i, sum);
      }
    }
    return candidate;
  }

  /** The layout's offset, its shape and strides flattened once for all indices. */
  private static long sum(long index, long[] extents, long[] strides) {
    long sum = 0;
    for (int k = 0; k < extents.length; k++) {
      sum = Math.addExact(sum, Math.multiplyExact(index % extents[k], strides[k]));
      index /= extents[k];
    }
    return sum;
  }

  private Decision<Layout> defined(Layout layout) {
    return new Decision.Defined<>(layout,
        new TableCertificate(layout + "(i) = table(i)", shape.size(), layout::apply, table));
  }

  private Decision<Layout> refuted(String condition, long index, long given) {
    var witness = new Witness(Coordinates.of(index, shape), index, table.applyAsLong(index), given);
    return new Decision.Undefined<>(operation, condition, OptionalInt.empty(),
        "the table has " + witness.demanded() + " at index " + index, Optional.of(witness));
  }
}
