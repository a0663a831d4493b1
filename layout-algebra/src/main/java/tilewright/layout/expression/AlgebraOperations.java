package tilewright.layout.expression;

import java.util.List;
import java.util.function.Function;
import tilewright.layout.Complement;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Dialect;
import tilewright.layout.Division;
import tilewright.layout.Layout;
import tilewright.layout.Product;
import tilewright.layout.Regrouping;
import tilewright.layout.Tiler;
import tilewright.layout.ZeroStrides;
import tilewright.layout.decision.Decision;

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
          o -> Results.of(ZeroStrides.nullspace(o.layout(0)))),
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
      byTiler("logical_divide", "tiler", "((tile), (rest)), by mode for a tuple of tilers", Division::of,
          Regrouping::logical),
      byTiler("zipped_divide", "tiler", "((tiles of all modes), (rests of all modes))", Division::of,
          Regrouping::zipped),
      byTiler("tiled_divide", "tiler", "((tiles of all modes), rest, rest, …)", Division::of, Regrouping::tiled),
      byTiler("flat_divide", "tiler", "(tile, tile, …, rest, rest, …)", Division::of, Regrouping::flat),
      byTiler("logical_product", "tiles", "(block, its copies laid out as tiles says), by mode for a tuple",
          Product::of, Regrouping::logical),
      byTiler("zipped_product", "tiles", "((blocks of all modes), (copies of all modes))", Product::of,
          Regrouping::zipped),
      byTiler("tiled_product", "tiles", "((blocks of all modes), copies, copies, …)", Product::of, Regrouping::tiled),
      byTiler("flat_product", "tiles", "(block, block, …, copies, copies, …)", Product::of, Regrouping::flat),
      new Operation("blocked_product", "block, tiles", "by mode (block, tiles): copies side by side",
          o -> Results.of(o.layout(0).blockedProduct(o.layout(1)))),
      new Operation("raked_product", "block, tiles", "by mode (tiles, block): copies interleaved",
          o -> Results.of(o.layout(0).rakedProduct(o.layout(1)))),
      new Operation("tile_to_shape", "block, shape, [order]",
          "the block repeated until it fills the shape, the mode with the least order first",
          o -> Results.of(o.count() == 2 ? o.layout(0).tileToShape(o.shape(1))
              : o.layout(0).tileToShape(o.shape(1), o.tuple(2)))));

  private AlgebraOperations() {}

  /** One way to regroup the modes of a division or product. */
  private interface Rule {
    Decision<Layout> decide(Regrouping operation, Layout layout, Tiler tiler);
  }

  /** A swizzle stays in front of the result. */
  private static Operation byTiler(String name, String operand, String description,
      Function<Dialect, Regrouping> operation, Rule rule) {
    return new Operation(name, "layout, " + operand, description, o -> o.composed(0)
        .map(composed -> Results.of(composed.with(result(operation, rule, composed.layout(), o))))
        .orElseGet(() -> Results.of(result(operation, rule, o.layout(0), o))));
  }

  private static Layout result(Function<Dialect, Regrouping> operation, Rule rule, Layout layout, Operands o) {
    return rule.decide(operation.apply(o.dialect()), layout, o.tiler(1)).orElseThrow();
  }

  static Decision<Layout> complement(Operands o) {
    long bound = o.or(1, i -> o.shape(i).size(), 1L);
    return Complement.of(o.layout(0), bound, o.dialect());
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
