package tilewright.layout.expression;

import java.util.List;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Decision;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** Operations that relate layouts. */
final class AlgebraOperations {
  static final List<Operation> LIST = List.of(
      new Operation("coalesce", "layout, [profile]", "the same function in the fewest modes",
          AlgebraOperations::coalesce),
      new Operation("coalesce_x", "layout", "the same beyond the size, too",
          o -> Results.of(o.layout(0).coalesceExtended())),
      new Operation("coalesce_z", "layout", "another name of coalesce_x, NVIDIA's in Python",
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
          o -> Results.of(complement(o).orElseThrow())),
      new Operation("right_inverse", "layout", "the longest R with layout(R(i)) = i", InverseOperations::right),
      new Operation("left_inverse", "layout", "L with L(layout(i)) = i", InverseOperations::left),
      new Operation("quasi_inverse", "layout", "Q with layout(Q(layout(i))) = layout(i), if offsets repeat, too",
          o -> Results.of(o.layout(0).quasiInverse())),
      new Operation("max_common_layout", "a, b", "the longest R with a(R(i)) = b(R(i)) = i",
          InverseOperations::maxCommon),
      new Operation("max_common_vector", "a, b", "its size: how many elements one vector access may move",
          InverseOperations::maxCommonVector),
      byTiler("logical_divide", "tiler", "((tile), (rest)), by mode for a tuple of tilers", Layout::tryLogicalDivide),
      byTiler("zipped_divide", "tiler", "((tiles of all modes), (rests of all modes))", Layout::tryZippedDivide),
      byTiler("tiled_divide", "tiler", "((tiles of all modes), rest, rest, …)", Layout::tryTiledDivide),
      byTiler("flat_divide", "tiler", "(tile, tile, …, rest, rest, …)", Layout::tryFlatDivide),
      byTiler("logical_product", "tiles", "(block, its copies laid out as tiles says), by mode for a tuple",
          Layout::tryLogicalProduct),
      byTiler("zipped_product", "tiles", "((blocks of all modes), (copies of all modes))", Layout::tryZippedProduct),
      byTiler("tiled_product", "tiles", "((blocks of all modes), copies, copies, …)", Layout::tryTiledProduct),
      byTiler("flat_product", "tiles", "(block, block, …, copies, copies, …)", Layout::tryFlatProduct),
      new Operation("blocked_product", "block, tiles", "by mode (block, tiles): copies side by side",
          o -> Results.of(o.layout(0).blockedProduct(o.layout(1)))),
      new Operation("raked_product", "block, tiles", "by mode (tiles, block): copies interleaved",
          o -> Results.of(o.layout(0).rakedProduct(o.layout(1)))),
      new Operation("tile_to_shape", "block, shape, [order]",
          "the block repeated until it fills the shape, the mode with the least order first",
          o -> Results.of(o.count() == 2 ? o.layout(0).tileToShape(o.shape(1))
              : o.layout(0).tileToShape(o.shape(1), o.tuple(2)))));

  private AlgebraOperations() {}

  /** What a dialect decides of a layout and a tiler. */
  private interface Rule {
    Decision<Layout> decide(Layout layout, Tiler tiler, Dialect dialect);
  }

  /** A swizzle stays in front of the result. */
  private static Operation byTiler(String name, String operand, String description, Rule rule) {
    return new Operation(name, "layout, " + operand, description, o -> o.composed(0)
        .map(composed -> Results.of(composed.with(result(rule, composed.layout(), o))))
        .orElseGet(() -> Results.of(result(rule, o.layout(0), o))));
  }

  private static Layout result(Rule rule, Layout layout, Operands o) {
    return rule.decide(layout, o.tiler(1), o.dialect()).orElseThrow();
  }

  static Decision<Layout> complement(Operands o) {
    long bound = o.or(1, i -> o.shape(i).size(), 1L);
    return o.layout(0).tryComplement(bound, o.dialect());
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
}
