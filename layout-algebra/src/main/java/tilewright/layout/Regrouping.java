package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;

/** A division or product by a tiler, its modes regrouped: all tiles first, then all rests. */
public final class Regrouping {
  private final String symbol;
  private final Dialect dialect;
  private final BiFunction<Layout, Layout, Decision<Layout>> operation;

  /** @param operation gives rank 2: tile and rest */
  Regrouping(String symbol, Dialect dialect, BiFunction<Layout, Layout, Decision<Layout>> operation) {
    this.symbol = symbol;
    this.dialect = dialect;
    this.operation = operation;
  }

  /** (tile, rest) in each of the first modes. */
  public Decision<Layout> logical(Layout layout, Tiler tiler) {
    return ByMode.map(symbol, layout, tiler, true, operation);
  }

  /** ((tiles of all modes), (rests of all modes)). */
  public Decision<Layout> zipped(Layout layout, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ when dialect.freeMode() == Dialect.FreeMode.REFUSED -> Decision.Undefined.of(
          layout + symbol + "_", "a tiler that regroups has no free mode in this dialect", "got _");
      case Tiler.Keep _ -> new Decision.Defined<>(Layout.of(Layout.of(1, 0), layout), new ByModeCertificate(List.of()));
      case Tiler.ByLayout by -> operation.apply(layout, by.layout());
      case Tiler.ByMode by -> zippedByMode(layout, by);
    };
  }

  private Decision<Layout> zippedByMode(Layout layout, Tiler.ByMode by) {
    if (by.tilers().size() > layout.rank()) return ByMode.tooLong(symbol, layout, by);
    var tiles = new ArrayList<Layout>();
    var rests = new ArrayList<Layout>();
    var certificates = new ArrayList<Certificate>();
    for (int i = 0; i < by.tilers().size(); i++) {
      switch (zipped(layout.mode(i), by.tilers().get(i))) {
        case Decision.Undefined<Layout> undefined -> {
          return undefined.inMode(i, layout + symbol + by);
        }
        case Decision.Defined<Layout>(var mode, var certificate) -> {
          tiles.add(mode.mode(0));
          rests.add(mode.mode(1));
          certificates.add(certificate);
        }
      }
    }
    for (int i = by.tilers().size(); i < layout.rank(); i++) rests.add(layout.mode(i));
    return new Decision.Defined<>(Layout.of(Layout.of(tiles), Layout.of(rests)), new ByModeCertificate(certificates));
  }

  /** ((tiles), rest, rest, …). */
  public Decision<Layout> tiled(Layout layout, Tiler tiler) {
    return zipped(layout, tiler).map(zipped -> {
      var modes = new ArrayList<>(List.of(zipped.mode(0)));
      modes.addAll(zipped.mode(1).modes());
      return Layout.of(modes);
    });
  }

  /** (tile, tile, …, rest, rest, …). */
  public Decision<Layout> flat(Layout layout, Tiler tiler) {
    return zipped(layout, tiler).map(zipped -> {
      var modes = new ArrayList<>(zipped.mode(0).modes());
      modes.addAll(zipped.mode(1).modes());
      return Layout.of(modes);
    });
  }
}
