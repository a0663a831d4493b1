package tilewright.layout;

import java.util.List;

/** Division of a layout by a tile: the tile, and where its copies begin. */
final class Division {
  private Division() {}

  static Regrouping of(Dialect dialect) {
    return new Regrouping(" ⊘ ", dialect, (layout, tile) -> logical(layout, tile, dialect));
  }

  static Decision<Layout> logical(Layout layout, Layout tile, Dialect dialect) {
    if (layout.size() == 0) {
      return Decision.Undefined.of(layout + " ⊘ " + tile, "the layout is not empty", "its shape is " + layout.shape());
    }
    return switch (Complement.of(tile, layout.size())) {
      case Decision.Undefined<Layout> undefined -> undefined.as(layout + " ⊘ " + tile);
      case Decision.Defined<Layout>(var rest, var tiling) ->
          switch (Composition.of(layout, Layout.of(tile, rest), dialect)) {
            case Decision.Undefined<Layout> undefined -> undefined.as(layout + " ⊘ " + tile);
            case Decision.Defined<Layout>(var result, var composition) ->
                new Decision.Defined<>(result, new ByModeCertificate(List.of(tiling, composition)));
          };
    };
  }
}
