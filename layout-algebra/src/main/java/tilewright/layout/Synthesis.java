package tilewright.layout;

import java.util.ArrayList;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import tilewright.layout.Modes.Mode;

/** The one coalesced layout that has a given table of offsets, if there is one. */
final class Synthesis {
  private Synthesis() {}

  /** {@code table(0)} is 0; the table is read at 0…{@code size} − 1. */
  static Optional<Layout> of(long size, LongUnaryOperator table) {
    var modes = new ArrayList<Mode>();
    long unit = 1;
    while (unit < size) {
      long stride = table.applyAsLong(unit);
      long extent = 1;
      while (extent * unit < size && table.applyAsLong(extent * unit) == extent * stride) extent++;
      if (size % (unit * extent) != 0) return Optional.empty();
      modes.add(new Mode(extent, stride));
      unit *= extent;
    }
    var layout = Modes.layout(modes);
    for (long i = 0; i < size; i++) {
      if (layout.apply(i) != table.applyAsLong(i)) return Optional.empty();
    }
    return Optional.of(layout);
  }
}
