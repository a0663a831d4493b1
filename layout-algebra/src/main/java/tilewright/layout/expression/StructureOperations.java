package tilewright.layout.expression;

import java.util.List;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;

/** What layouts are made of. */
final class StructureOperations {
  static final List<Operation> LIST = List.of(
      new Operation("make_layout", "layout…", "the layouts as modes of one; a shape with strides as a layout",
          StructureOperations::makeLayout),
      new Operation("shape", "layout, [mode…]", "the shape, or that of a mode", o -> integers(part(o).shape())),
      new Operation("stride", "layout, [mode…]", "the strides, or those of a mode", o -> integers(part(o).stride())),
      new Operation("layout", "layout, [mode…]", "a mode by its index, then by the index in it: layout<1,0>(L)",
          o -> layout(part(o))),
      new Operation("get", "layout, [mode…]", "the same as layout; of a tuple its element", StructureOperations::get),
      new Operation("size", "layout, [mode…]", "how many coordinates there are", o -> integer(tree(o).size())),
      new Operation("cosize", "layout", "one more than the distance that all modes together reach",
          o -> integer(o.layout(0).cosize())),
      new Operation("rank", "layout, [mode…]", "how many modes there are", o -> integer(tree(o).rank())),
      new Operation("depth", "layout, [mode…]", "how deeply modes nest", o -> integer(tree(o).depth())),
      new Operation("flatten", "layout", "all leaves as modes of depth 1", o -> o.isIntegers(0)
          ? integers(IntTuple.flat(o.tuple(0).flatten())) : layout(o.layout(0).flatten())),
      new Operation("coalesce", "layout, [profile]", "the same function in the fewest modes",
          o -> layout(o.count() == 1 ? o.layout(0).coalesce() : o.layout(0).coalesce(o.tuple(1)))),
      new Operation("filter", "layout", "without modes of stride 0 and coalesced", o -> layout(o.layout(0).filter())));

  private StructureOperations() {}

  static Value layout(Layout layout) {
    return new Value.Mapping(layout);
  }

  static Value integers(IntTuple tuple) {
    return new Value.Integers(tuple);
  }

  static Value integer(long value) {
    return integers(IntTuple.of(value));
  }

  private static Value makeLayout(Operands o) {
    if (o.count() == 2 && o.isIntegers(0) && o.isIntegers(1)) return layout(Layout.of(o.tuple(0), o.tuple(1)));
    if (o.count() == 1) return layout(o.layout(0));
    return layout(Layout.of(o.layoutsFrom(0)));
  }

  private static Value get(Operands o) {
    return o.isIntegers(0) ? integers(tree(o)) : layout(part(o));
  }

  /** The shape of the mode that the indices behind the first operand name. */
  private static IntTuple tree(Operands o) {
    var tree = o.isIntegers(0) ? o.tuple(0) : o.map(0).shape();
    for (int i = 1; i < o.count(); i++) tree = tree.mode(within(tree.rank(), o, i));
    return tree;
  }

  private static Layout part(Operands o) {
    var part = o.layout(0);
    for (int i = 1; i < o.count(); i++) part = part.mode(within(part.rank(), o, i));
    return part;
  }

  private static int within(int rank, Operands o, int index) {
    int mode = o.index(index);
    if (mode < rank) return mode;
    throw o.mismatch(index, rank == 0 ? "nothing, there are no modes," : "the index of a mode, 0 to " + (rank - 1) + ",");
  }
}
