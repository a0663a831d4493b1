package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;

/** Operations that a tiler applies mode by mode. */
final class ByMode {
  private ByMode() {}

  /** Applies the operation where the tiler has a layout; {@code _} keeps a mode. */
  static Decision<Layout> map(String symbol, Layout layout, Tiler tiler, boolean keepRest,
      BiFunction<Layout, Layout, Decision<Layout>> operation) {
    return switch (tiler) {
      case Tiler.Keep _ -> new Decision.Defined<>(layout, new ByModeCertificate(List.of()));
      case Tiler.ByLayout by -> operation.apply(layout, by.layout());
      case Tiler.ByMode by -> {
        if (by.tilers().size() > layout.rank()) yield tooLong(symbol, layout, by);
        var modes = new ArrayList<Layout>();
        var certificates = new ArrayList<Certificate>();
        for (int i = 0; i < by.tilers().size(); i++) {
          switch (map(symbol, layout.mode(i), by.tilers().get(i), keepRest, operation)) {
            case Decision.Defined<Layout>(var mode, var certificate) -> {
              modes.add(mode);
              certificates.add(certificate);
            }
            case Decision.Undefined<Layout> undefined -> {
              yield undefined.inMode(i, layout + symbol + tiler);
            }
          }
        }
        for (int i = by.tilers().size(); keepRest && i < layout.rank(); i++) modes.add(layout.mode(i));
        yield new Decision.Defined<>(Layout.of(modes), new ByModeCertificate(certificates));
      }
    };
  }

  static <T> Decision.Undefined<T> tooLong(String symbol, Layout layout, Tiler.ByMode tiler) {
    return Decision.Undefined.of(layout + symbol + tiler, "the tiler has at most as many modes as the layout",
        tiler.tilers().size() + " > " + layout.rank());
  }
}
