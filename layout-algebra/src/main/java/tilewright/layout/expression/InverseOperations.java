package tilewright.layout.expression;

import tilewright.layout.ComposedLayout;
import tilewright.layout.Dialect;
import tilewright.layout.Inverse;
import tilewright.layout.Layout;
import tilewright.layout.xor.Unswizzling;

/** Inverses, and what two layouts address alike, for each kind of layout. */
final class InverseOperations {
  private InverseOperations() {}

  static Value right(Operands o) {
    return switch (o.value(0)) {
      case Value.XorMapping mapping -> Results.of(mapping.map().tryRightInverse().orElseThrow());
      case Value.Mapping(ComposedLayout composed) -> Results.of(Unswizzling.rightInverse(composed).orElseThrow());
      default -> Results.of(right(o.layout(0), o.dialect()));
    };
  }

  /** The longest, or pycute's. */
  static Layout right(Layout layout, Dialect dialect) {
    return dialect.rightInverse() == Dialect.RightInverse.PREFIX ? Inverse.right(layout, dialect)
        : layout.rightInverse();
  }

  static Value left(Operands o) {
    return switch (o.value(0)) {
      case Value.XorMapping mapping -> Results.of(mapping.map().tryLeftInverse().orElseThrow());
      case Value.Mapping(ComposedLayout composed) -> Results.of(Unswizzling.leftInverse(composed).orElseThrow());
      default -> Results.of(o.layout(0).leftInverse());
    };
  }

  static Value maxCommon(Operands o) {
    return isOverBits(o) ? Results.of(o.xor(0).tryMaxCommon(o.xor(1)).orElseThrow())
        : Results.of(o.layout(0).maxCommonLayout(o.layout(1)));
  }

  static Value maxCommonVector(Operands o) {
    return Results.of(isOverBits(o) ? o.xor(0).tryMaxCommon(o.xor(1)).orElseThrow().size()
        : o.layout(0).maxCommonLayout(o.layout(1)).size());
  }

  /** Whether one of both has a swizzle or XOR strides, so that both are compared as XOR layouts. */
  private static boolean isOverBits(Operands o) {
    return o.values().stream().anyMatch(value -> switch (value) {
      case Value.XorMapping _ -> true;
      case Value.Mapping mapping -> mapping.map() instanceof ComposedLayout;
      default -> false;
    });
  }
}
