package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import tilewright.layout.tuple.IntTuple;

/** Tuples taken apart at their integers and put together again. */
final class Trees {
  private Trees() {}

  /** The tree with its integers, left to right, replaced by the elements. */
  static IntTuple substitute(IntTuple tree, List<IntTuple> elements) {
    return substitute(tree, elements.iterator());
  }

  private static IntTuple substitute(IntTuple tree, Iterator<IntTuple> elements) {
    return switch (tree) {
      case IntTuple.Leaf _ -> elements.next();
      case IntTuple.Tuple t -> {
        var modes = new ArrayList<IntTuple>();
        for (var mode : t.elements()) modes.add(substitute(mode, elements));
        yield IntTuple.of(modes);
      }
    };
  }

  static IntTuple flat(List<Long> extents) {
    return IntTuple.of(extents.stream().map(IntTuple::of).toList());
  }

  /** An integer for one extent, a flat tuple otherwise. */
  static IntTuple leafOrFlat(List<Long> extents) {
    return extents.size() == 1 ? IntTuple.of(extents.getFirst()) : flat(extents);
  }

  static int length(IntTuple tree) {
    return (int) tree.leaves().count();
  }
}
