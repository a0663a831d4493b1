package tilewright.layout;

import java.util.ArrayList;
import java.util.List;

/** Division of a layout by a tile: the tile, and where its copies begin. */
final class Division {
  private Division() {}

  static Decision<Layout> logical(Layout layout, Layout tile) {
    return switch (tile.tryComplement(layout.coalesce().size())) {
      case Decision.Undefined<Layout> undefined -> undefined.as(layout + " ⊘ " + tile);
      case Decision.Defined<Layout> rest -> layout.tryComposition(Layout.of(tile, rest.result()));
    };
  }

  static Layout logical(Layout layout, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> layout;
      case Tiler.ByLayout by -> logical(layout, by.layout()).orElseThrow();
      case Tiler.ByMode by -> {
        requireRank(layout, by);
        var modes = new ArrayList<Layout>();
        for (int i = 0; i < layout.rank(); i++) {
          modes.add(i < by.tilers().size() ? logical(layout.mode(i), by.tilers().get(i)) : layout.mode(i));
        }
        yield Layout.of(modes);
      }
    };
  }

  static Layout zipped(Layout layout, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> Layout.of(Layout.of(1, 0), layout);
      case Tiler.ByLayout by -> logical(layout, by.layout()).orElseThrow();
      case Tiler.ByMode by -> {
        requireRank(layout, by);
        var tiles = new ArrayList<Layout>();
        var rests = new ArrayList<Layout>();
        for (int i = 0; i < layout.rank(); i++) {
          if (i < by.tilers().size()) {
            var mode = zipped(layout.mode(i), by.tilers().get(i));
            tiles.add(mode.mode(0));
            rests.add(mode.mode(1));
          } else {
            rests.add(layout.mode(i));
          }
        }
        yield Layout.of(Layout.of(tiles), Layout.of(rests));
      }
    };
  }

  static Layout tiled(Layout layout, Tiler tiler) {
    var zipped = zipped(layout, tiler);
    var modes = new ArrayList<>(List.of(zipped.mode(0)));
    modes.addAll(zipped.mode(1).modes());
    return Layout.of(modes);
  }

  static Layout flat(Layout layout, Tiler tiler) {
    var zipped = zipped(layout, tiler);
    var modes = new ArrayList<>(zipped.mode(0).modes());
    modes.addAll(zipped.mode(1).modes());
    return Layout.of(modes);
  }

  private static void requireRank(Layout layout, Tiler.ByMode tiler) {
    if (tiler.tilers().size() > layout.rank()) {
      throw new UndefinedOperationException(Decision.Undefined.of(layout + " ⊘ " + tiler,
          "the tiler has at most as many modes as the layout", tiler.tilers().size() + " > " + layout.rank()));
    }
  }
}
