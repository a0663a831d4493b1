package tilewright.layout.expression;

import java.util.List;
import tilewright.layout.ComposedLayout;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.synthesis.LayoutSynthesis;
import tilewright.layout.xor.Unswizzling;
import tilewright.layout.xor.XorLayout;

/** Swizzles, XOR strides, and layouts found from their tables. Their names are ours where CuTe has none. */
final class BitOperations {
  static final List<Operation> LIST = List.of(
      new Operation("to_xor", "layout", "the same function with XOR strides, as Triton's linear layouts have them",
          BitOperations::toXor),
      new Operation("to_swizzled", "layout", "the same function as a swizzle behind a layout",
          o -> Results.of(o.xor(0).trySwizzled().orElseThrow())),
      new Operation("to_layout", "layout", "the same function without swizzle or XOR", BitOperations::toLayout),
      new Operation("get_swizzle_portion", "layout", "the swizzle of a swizzled layout",
          o -> Results.of(o.composed(0).map(ComposedLayout::swizzle).orElse(Swizzle.IDENTITY))),
      new Operation("get_nonswizzle_portion", "layout", "the layout behind the swizzle",
          o -> Results.of(o.composed(0).map(ComposedLayout::layout).orElseGet(() -> o.layout(0)))),
      new Operation("bases", "layout", "the offsets of the index's bits, by mode: Triton's bases",
          o -> new Value.Sequence(o.xor(0).tryBases().orElseThrow().stream().map(mode -> (Value) new Value.Sequence(
              mode.stream().map(Results::of).toList())).toList())),
      new Operation("layout_from_table", "offset…", "the layout of fewest modes with these offsets",
          o -> Results.of(LayoutSynthesis.layout(table(o)).orElseThrow())),
      new Operation("swizzled_from_table", "offset…", "the swizzled layout with these offsets",
          o -> Results.of(LayoutSynthesis.swizzled(table(o)).orElseThrow())),
      new Operation("xor_from_table", "offset…", "the layout with XOR strides and these offsets",
          o -> Results.of(LayoutSynthesis.xor(table(o)).orElseThrow())));

  private BitOperations() {}

  private static Value toXor(Operands o) {
    return Results.of(o.xor(0));
  }

  private static Value toLayout(Operands o) {
    return Results.of(switch (o.value(0)) {
      case Value.Mapping(ComposedLayout composed) -> Unswizzling.of(composed).orElseThrow();
      case Value.XorMapping(XorLayout xor) -> xor.tryLayout().orElseThrow();
      default -> o.layout(0);
    });
  }

  private static long[] table(Operands o) {
    var table = new long[o.count()];
    for (int i = 0; i < table.length; i++) table[i] = o.integer(i);
    return table;
  }
}
