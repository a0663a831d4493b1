package tilewright.layout.xor;

import java.util.function.LongFunction;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/** Layouts that refine a shape, made leaf by leaf. */
final class Refinement {
  private Refinement() {}

  /** {@code leaf} is asked left to right, and gives a layout of the size it is asked for. */
  static Layout of(IntTuple shape, LongFunction<Layout> leaf) {
    return switch (shape) {
      case IntTuple.Leaf l -> leaf.apply(l.value());
      case IntTuple.Tuple t -> Layout.of(t.elements().stream().map(e -> of(e, leaf)).toList());
    };
  }
}
