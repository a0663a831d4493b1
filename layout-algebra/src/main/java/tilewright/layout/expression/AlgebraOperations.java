package tilewright.layout.expression;

import java.util.List;
import java.util.function.BiFunction;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** Operations that relate layouts. */
final class AlgebraOperations {
  static final List<Operation> LIST = List.of(
      new Operation("coalesce", "layout, [profile]", "the same function in the fewest modes",
          AlgebraOperations::coalesce),
      new Operation("coalesce_x", "layout", "the same beyond the size, too",
          o -> Results.of(o.layout(0).coalesceExtended())),
      new Operation("filter", "layout, [profile]", "without modes of stride 0 and coalesced",
          o -> Results.of(o.count() == 1 ? o.layout(0).filter() : o.layout(0).filter(o.tuple(1)))),
      new Operation("filter_zeros", "layout, [profile]", "modes of stride 0 have extent 1",
          o -> Results.of(o.count() == 1 ? o.layout(0).filterZeros() : o.layout(0).filterZeros(o.tuple(1)))),
      new Operation("nullspace", "layout", "the indices of offset 0, for modes of stride 0",
          o -> Results.of(o.layout(0).nullspace())),
      new Operation("composition", "outer, inner", "R(i) = outer(inner(i)); by mode for a tuple of tilers",
          CompositionOperation::apply),
      new Operation("complement", "layout, [bound]", "the ordered layout that with this one tiles all below bound",
          o -> Results.of(o.count() == 1 ? o.layout(0).complement() : o.layout(0).complement(o.tuple(1).size()))),
      new Operation("right_inverse", "layout", "the longest R with layout(R(i)) = i", AlgebraOperations::rightInverse),
      new Operation("left_inverse", "layout", "L with L(layout(i)) = i", AlgebraOperations::leftInverse),
      divide("logical_divide", "((tile), (rest)), by mode for a tuple of tilers",
          Layout::logicalDivide, ComposedLayout::logicalDivide),
      divide("zipped_divide", "((tiles of all modes), (rests of all modes))",
          Layout::zippedDivide, ComposedLayout::zippedDivide),
      divide("tiled_divide", "((tiles of all modes), rest, rest, …)", Layout::tiledDivide, ComposedLayout::tiledDivide),
      divide("flat_divide", "(tile, tile, …, rest, rest, …)", Layout::flatDivide, ComposedLayout::flatDivide),
      new Operation("logical_product", "block, tiles", "(block, its copies laid out as tiles says)",
          o -> Results.of(o.layout(0).logicalProduct(o.layout(1)))),
      new Operation("blocked_product", "block, tiles", "by mode (block, tiles): copies side by side",
          o -> Results.of(o.layout(0).blockedProduct(o.layout(1)))),
      new Operation("raked_product", "block, tiles", "by mode (tiles, block): copies interleaved",
          o -> Results.of(o.layout(0).rakedProduct(o.layout(1)))),
      new Operation("tile_to_shape", "block, shape", "the block repeated until it fills the shape",
          o -> Results.of(o.layout(0).tileToShape(o.tuple(1)))));

  private AlgebraOperations() {}

  private static Operation divide(String name, String description, BiFunction<Layout, Tiler, Layout> plain,
      BiFunction<ComposedLayout, Tiler, ComposedLayout> swizzled) {
    return new Operation(name, "layout, tiler", description, o -> o.composed(0)
        .map(composed -> Results.of(swizzled.apply(composed, o.tiler(1))))
        .orElseGet(() -> Results.of(plain.apply(o.layout(0), o.tiler(1)))));
  }

  private static Value coalesce(Operands o) {
    return switch (o.value(0)) {
      case Value.CoordinateMapping mapping when o.count() == 1 -> Results.of(mapping.map().coalesce());
      case Value.XorMapping mapping when o.count() == 1 -> Results.of(mapping.map().coalesce());
      case Value.Mapping(ComposedLayout composed) ->
          Results.of(o.count() == 1 ? composed.coalesce() : composed.coalesce(o.tuple(1)));
      default -> Results.of(o.count() == 1 ? o.layout(0).coalesce() : o.layout(0).coalesce(o.tuple(1)));
    };
  }

  private static Value rightInverse(Operands o) {
    return switch (o.value(0)) {
      case Value.XorMapping mapping -> Results.of(mapping.map().tryRightInverse().orElseThrow());
      case Value.Mapping(ComposedLayout composed) -> Results.of(composed.tryRightInverse().orElseThrow());
      default -> Results.of(o.layout(0).rightInverse());
    };
  }

  private static Value leftInverse(Operands o) {
    return switch (o.value(0)) {
      case Value.XorMapping mapping -> Results.of(mapping.map().tryLeftInverse().orElseThrow());
      case Value.Mapping(ComposedLayout composed) -> Results.of(composed.tryLeftInverse().orElseThrow());
      default -> Results.of(o.layout(0).leftInverse());
    };
  }
}
