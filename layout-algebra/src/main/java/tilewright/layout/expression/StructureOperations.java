package tilewright.layout.expression;

import java.util.List;
import java.util.function.UnaryOperator;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.SwizzledReach;

/** The modes of layouts and tuples. */
final class StructureOperations {
  private static final int LARGEST_RANK = 1 << 10;

  static final List<Operation> LIST = List.of(
      new Operation("shape", "layout, [mode…]", "the shape, or that of a mode", o -> Results.of(tree(o))),
      new Operation("stride", "layout, [mode…]", "the strides, or those of a mode", o -> Results.of(part(o).stride())),
      new Operation("layout", "layout, [mode…]", "a mode by its index, then by the index in it: layout<1,0>(L)",
          o -> Results.of(part(o))),
      new Operation("get", "tuple, [mode…]", "the same of a tuple or a layout",
          o -> o.isIntegers(0) ? Results.of(tree(o)) : Results.of(part(o))),
      new Operation("size", "layout, [mode…]", "how many coordinates there are", o -> Results.of(extents(o).size())),
      new Operation("cosize", "layout", "one more than the distance that all modes together reach",
          StructureOperations::cosize),
      new Operation("rank", "layout, [mode…]", "how many modes there are", o -> Results.of(tree(o).rank())),
      new Operation("depth", "layout, [mode…]", "how deeply modes nest", o -> Results.of(tree(o).depth())),
      new Operation("flatten", "layout", "all leaves as modes of depth 1", o -> surgery(o, Layout::flatten)),
      new Operation("unflatten", "layout, profile", "the leaves in the tree of the profile",
          o -> surgery(o, l -> l.unflatten(o.tuple(1)))),
      new Operation("group", "layout, begin, end", "modes begin to end − 1 as one: group<0,2>(L)",
          o -> surgery(o, l -> l.group(mode(o, l, 1, true), mode(o, l, 2, true)))),
      new Operation("take", "layout, begin, end", "modes begin to end − 1 only",
          o -> surgery(o, l -> l.take(mode(o, l, 1, true), mode(o, l, 2, true)))),
      new Operation("select", "layout, mode…", "the modes named, in that order: select<1,0>(L)",
          o -> surgery(o, l -> l.select(modes(o, l)))),
      new Operation("append", "layout, mode, [rank]", "the mode behind the others, until there are rank modes",
          o -> surgery(o, l -> padded(o, l, padding -> padding.append(strides(o, 1))))),
      new Operation("prepend", "layout, mode, [rank]", "the mode before the others, until there are rank modes",
          o -> surgery(o, l -> padded(o, l, padding -> padding.prepend(strides(o, 1))))),
      new Operation("replace", "layout, mode, index", "the mode in place of another: replace<1>(L, 4:1)",
          o -> surgery(o, l -> l.replace(mode(o, l, 2, false), strides(o, 1)))));

  private StructureOperations() {}

  private static Value cosize(Operands o) {
    return o.value(0) instanceof Value.Mapping mapping ? Results.of(switch (mapping.map()) {
      case Layout layout -> layout.cosize();
      case ComposedLayout composed -> SwizzledReach.of(composed);
    }) : Results.of(o.layout(0).cosize());
  }

  /** The shape of the mode that the indices behind the first operand name. */
  private static IntTuple tree(Operands o) {
    var tree = switch (o.value(0)) {
      case Value.Integers integers -> integers.tuple();
      case Value.CoordinateMapping mapping -> mapping.map().shape();
      case Value.XorMapping mapping -> mapping.map().shape();
      default -> o.map(0).shape();
    };
    for (int i = 1; i < o.count(); i++) tree = tree.mode(within(tree.rank(), o, i, false));
    return tree;
  }

  /** The tree as a shape; only a tuple can have integers below 1. */
  private static IntTuple extents(Operands o) {
    var tree = tree(o);
    if (Literals.isShape(tree)) return tree;
    throw o.mismatch(0, Literals.EXTENTS);
  }

  private static Layout part(Operands o) {
    var part = o.layout(0);
    for (int i = 1; i < o.count(); i++) part = part.mode(within(part.rank(), o, i, false));
    return part;
  }

  /** Works on a layout; on a tuple as on the shape of a layout. */
  private static Value surgery(Operands o, UnaryOperator<Layout> change) {
    if (o.isIntegers(0)) return Results.of(change.apply(strides(o, 0)).stride());
    return Results.of(change.apply(o.layout(0)));
  }

  /** The mode for surgery: a layout for a layout, and for a tuple one with these strides, which may be any integers. */
  private static Layout strides(Operands o, int index) {
    return o.isIntegers(0) ? Layout.of(o.tuple(index).repeatLike(1), o.tuple(index)) : o.layout(index);
  }

  private static Layout padded(Operands o, Layout layout, UnaryOperator<Layout> pad) {
    int rank = o.count() > 2 ? o.index(2) : layout.rank() + 1;
    if (rank > LARGEST_RANK) throw o.mismatch(2, "a rank of at most " + LARGEST_RANK);
    while (layout.rank() < rank) layout = pad.apply(layout);
    return layout;
  }

  private static int[] modes(Operands o, Layout layout) {
    var modes = new int[o.count() - 1];
    for (int i = 0; i < modes.length; i++) modes[i] = mode(o, layout, i + 1, false);
    return modes;
  }

  private static int mode(Operands o, Layout layout, int index, boolean end) {
    return within(layout.rank(), o, index, end);
  }

  /** @param end whether the index behind the last mode will do, too */
  private static int within(int rank, Operands o, int index, boolean end) {
    int mode = o.index(index);
    int last = end ? rank : rank - 1;
    if (mode <= last) return mode;
    throw o.mismatch(index, last < 0 ? "nothing, there are no modes," : "the index of a mode, 0 to " + last + ",");
  }
}
