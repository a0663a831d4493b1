package tilewright.layout;

import java.util.List;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Decision;

/** Division of a layout by a tile: the tile, and where its copies begin. */
public final class Division {
  private Division() {}

  /** Division by tilers, in a dialect. */
  public static Regrouping of(Dialect dialect) {
    return new Regrouping(" ⊘ ", dialect, (layout, tile) -> logical(layout, tile, dialect));
  }

  /** ((tile), (rest)): layout ∘ (tile, complement of the tile in the layout's size). */
  public static Decision<Layout> logical(Layout layout, Layout tile) {
    return logical(layout, tile, Dialect.CUTE_CPP);
  }

  private static Decision<Layout> logical(Layout layout, Layout tile, Dialect dialect) {
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
