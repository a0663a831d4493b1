package tilewright.layout.expression;

import java.util.List;
import tilewright.layout.CompactOrder;
import tilewright.layout.Layout;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.tuple.IntTuple;

/** Layouts made from shapes, other layouts and coordinates. */
final class ConstructionOperations {
  static final List<Operation> LIST = List.of(
      new Operation("make_layout", "layout…", "the layouts as modes of one; a shape with strides as a layout",
          ConstructionOperations::makeLayout),
      new Operation("make_ordered_layout", "shape, order", "compact, the mode with the least order fastest",
          o -> Results.of(Layout.ordered(o.shape(0), o.tuple(1)))),
      new Operation("make_layout_like", "layout", "compact, modes in the order of the layout's strides",
          o -> Results.of(CompactOrder.like(o.layout(0)))),
      new Operation("make_fragment_like", "layout", "compact, mode 0 fastest, the others in the order of their strides",
          o -> Results.of(CompactOrder.fragmentLike(o.layout(0)))),
      new Operation("make_identity_layout", "shape", "each coordinate ↦ itself, as basis strides",
          o -> Results.of(CoordinateLayout.identity(o.shape(0)))),
      new Operation("compact_col_major", "shape", "the strides of the compact layout with its first mode fastest",
          o -> Results.of(CompactOrder.columnMajor(o.shape(0), o.dialect()))),
      new Operation("compact_row_major", "shape", "the strides of the compact layout with its last mode fastest",
          o -> Results.of(Layout.rowMajor(o.shape(0)).stride())),
      new Operation("compact_order", "shape, order", "the strides of make_ordered_layout",
          o -> Results.of(Layout.ordered(o.shape(0), o.tuple(1)).stride())),
      new Operation("slice", "coordinate, layout", "what the coordinate leaves free with _: slice((_,2), L)",
          ConstructionOperations::slice),
      new Operation("dice", "coordinate, layout", "what the coordinate fixes", o -> o.isIntegers(1)
          ? Results.of(o.slice(0).dice(o.tuple(1))) : Results.of(o.layout(1).dice(o.slice(0)))),
      new Operation("slice_and_offset", "coordinate, layout", "the slice, and the offset at which it begins",
          ConstructionOperations::sliceAndOffset));

  private ConstructionOperations() {}

  private static Value makeLayout(Operands o) {
    if (o.count() == 2 && o.isIntegers(0) && o.isIntegers(1)) return Results.of(Layout.of(o.shape(0), o.tuple(1)));
    return Results.of(o.count() == 1 ? o.layout(0) : Layout.of(o.layoutsFrom(0)));
  }

  private static Value slice(Operands o) {
    if (o.isIntegers(1)) return Results.of(o.slice(0).slice(o.tuple(1)));
    return o.composed(1).map(composed -> Results.of(composed.slice(o.slice(0))))
        .orElseGet(() -> Results.of(o.layout(1).slice(o.slice(0))));
  }

  private static Value sliceAndOffset(Operands o) {
    var slice = o.layout(1).sliceAndOffset(o.slice(0));
    return new Value.Sequence(List.of(Results.of(slice.layout()), new Value.Integers(IntTuple.of(slice.offset()))));
  }
}
