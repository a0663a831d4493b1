package tilewright.layout.draw;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import tilewright.layout.Layout;

/** The three sides of a composition; colours follow an element from side to side. */
final class CompositionPanels {
  private CompositionPanels() {}

  /** Labels are indices of the outer layout, and so are colours. */
  static Panel inner(Layout inner) {
    var grid = Grid.of(inner, inner.shape());
    return grid.panel(inner.toString(), grid.cells(index -> {
      var middle = inner.apply(index);
      return grid.cell(index, middle, false, "goes to index " + middle, Long.toString(middle));
    }), "index → index");
  }

  static Panel outer(Layout outer, Layout inner) {
    var grid = Grid.of(outer, outer.shape());
    var reached = LongStream.range(0, inner.size()).mapToObj(inner::apply).collect(Collectors.toSet());
    return grid.panel(outer.toString(), grid.cells(index -> {
      var offset = outer.apply(index);
      var hit = reached.contains((long) index);
      return grid.cell(index, hit ? index : Cell.PLAIN, false, "offset " + offset, Long.toString(offset));
    }), "index → offset");
  }

  static Panel composite(Layout outer, Layout inner) {
    var composition = outer.composition(inner);
    var grid = Grid.of(composition, composition.shape());
    return grid.panel(composition.toString(), grid.cells(index -> {
      var offset = composition.apply(index);
      var middle = inner.apply(index);
      return grid.cell(index, middle, false, "by index " + middle + " to offset " + offset, Long.toString(offset));
    }), "index → offset");
  }
}
