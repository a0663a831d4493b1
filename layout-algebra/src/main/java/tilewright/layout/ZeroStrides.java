package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Modes.Mode;
import tilewright.layout.tuple.TupleArithmetic;

/** Modes of stride 0, which repeat offsets: without them, and only them. */
public final class ZeroStrides {
  private ZeroStrides() {}

  static Layout removed(Layout layout) {
    return new Layout(TupleArithmetic.leaves("filter_zeros", layout.shape(), layout.stride(),
        (extent, stride) -> stride == 0 ? 1 : extent), layout.stride());
  }

  /** The indices that the layout maps to 0 because they move only along modes of stride 0. */
  public static Layout nullspace(Layout layout) {
    var kernel = new ArrayList<Mode>();
    long index = 1;
    for (var mode : Modes.of(layout).list()) {
      if (mode.extent() == 0) return Layout.of(0, 0);
      if (mode.stride() == 0 && mode.extent() > 1) kernel.add(new Mode(mode.extent(), index));
      index = Math.multiplyExact(index, mode.extent());
    }
    return Modes.layout(List.copyOf(kernel));
  }
}
