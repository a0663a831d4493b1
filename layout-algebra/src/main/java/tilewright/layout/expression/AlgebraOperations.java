package tilewright.layout.expression;

import static tilewright.layout.expression.StructureOperations.layout;

import java.util.List;

/** Operations that relate layouts. */
final class AlgebraOperations {
  static final List<Operation> LIST = List.of(
      new Operation("composition", "layout, tiler", "R(i) = layout(tiler(i)); by mode for a tuple of tilers",
          o -> layout(o.layout(0).composition(o.tiler(1)))),
      new Operation("complement", "layout, [bound]", "the ordered layout that with this one tiles the integers below bound",
          o -> layout(o.count() == 1 ? o.layout(0).complement() : o.layout(0).complement(o.tuple(1).size()))),
      new Operation("right_inverse", "layout", "the longest R with layout(R(i)) = i", o -> layout(o.layout(0).rightInverse())),
      new Operation("left_inverse", "layout", "L with L(layout(i)) = i", o -> layout(o.layout(0).leftInverse())),
      new Operation("logical_divide", "layout, tiler", "((tile), (rest)), by mode for a tuple of tilers",
          o -> layout(o.layout(0).logicalDivide(o.tiler(1)))),
      new Operation("zipped_divide", "layout, tiler", "((tiles of all modes), (rests of all modes))",
          o -> layout(o.layout(0).zippedDivide(o.tiler(1)))),
      new Operation("tiled_divide", "layout, tiler", "((tiles of all modes), rest, rest, …)",
          o -> layout(o.layout(0).tiledDivide(o.tiler(1)))),
      new Operation("flat_divide", "layout, tiler", "(tile, tile, …, rest, rest, …)",
          o -> layout(o.layout(0).flatDivide(o.tiler(1)))),
      new Operation("logical_product", "block, tiles", "(block, its copies laid out as tiles says)",
          o -> layout(o.layout(0).logicalProduct(o.layout(1)))),
      new Operation("blocked_product", "block, tiles", "by mode (block, tiles): copies side by side",
          o -> layout(o.layout(0).blockedProduct(o.layout(1)))),
      new Operation("raked_product", "block, tiles", "by mode (tiles, block): copies interleaved",
          o -> layout(o.layout(0).rakedProduct(o.layout(1)))),
      new Operation("tile_to_shape", "block, shape", "the block repeated until it fills the shape",
          o -> layout(o.layout(0).tileToShape(o.tuple(1)))));

  private AlgebraOperations() {}
}
