package tilewright.layout.expression;

import tilewright.layout.ComposedLayout;
import tilewright.layout.Composition;
import tilewright.layout.Layout;
import tilewright.layout.coordinate.CoordinateComposition;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.xor.SwizzleExchange;

/** A ∘ B for each kind of layout on either side. */
final class CompositionOperation {
  private CompositionOperation() {}

  static Value apply(Operands o) {
    return switch (o.value(0)) {
      case Value.Swizzling(var swizzle) -> behind(swizzle, o);
      case Value.Mapping(ComposedLayout composed) -> Results.of(composed.with(byTiler(composed.layout(), o)));
      case Value.CoordinateMapping(var outer) -> Results.of(outer.composition(o.layout(1)));
      case Value.XorMapping(var outer) -> Results.of(outer.tryComposition(o.xor(1)).orElseThrow());
      default -> switch (o.value(1)) {
        case Value.CoordinateMapping(var inner) ->
            Results.of(CoordinateComposition.of(o.layout(0), inner).orElseThrow());
        case Value.Swizzling(var inner) -> Results.of(SwizzleExchange.of(o.layout(0), inner).orElseThrow());
        default -> Results.of(byTiler(o.layout(0), o));
      };
    };
  }

  private static Layout byTiler(Layout outer, Operands o) {
    return Composition.byMode(outer, o.tiler(1), o.dialect()).orElseThrow();
  }

  private static Value behind(Swizzle outer, Operands o) {
    return switch (o.value(1)) {
      case Value.Swizzling(var inner) -> Results.of(outer.tryComposition(inner).orElseThrow());
      case Value.Mapping(ComposedLayout inner) -> Results.of(inner.trySwizzle(outer).orElseThrow());
      default -> Results.of(new ComposedLayout(outer, 0, o.layout(1)));
    };
  }
}
