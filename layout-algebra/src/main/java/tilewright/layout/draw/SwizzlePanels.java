package tilewright.layout.draw;

import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;

/** The effect of a swizzle on one of its blocks: units of 2^M elements, 2^|S| of them in a row, 2^B rows. */
final class SwizzlePanels {
  private SwizzlePanels() {}

  static Panel before(Swizzle swizzle) {
    return panel("before", swizzle, block(swizzle));
  }

  static Panel after(Swizzle swizzle) {
    return panel("after", swizzle, new ComposedLayout(swizzle, 0, block(swizzle)));
  }

  private static Layout block(Swizzle swizzle) {
    var unit = 1L << swizzle.base();
    var shift = Math.abs(swizzle.shift());
    return Layout.of(Layout.of(1L << swizzle.bits(), unit << shift), Layout.of(1L << shift, unit));
  }

  private static Panel panel(String title, Swizzle swizzle, OffsetMap map) {
    var grid = Grid.of(swizzle, map.shape());
    return grid.panel(title, grid.cells(index -> {
      var unit = map.apply(index) >> swizzle.base();
      var column = unit & (1L << Math.abs(swizzle.shift())) - 1;
      return grid.cell(index, column, false, "offset " + map.apply(index), Long.toString(unit));
    }), "units of " + (1L << swizzle.base()) + " elements, coloured by column");
  }
}
