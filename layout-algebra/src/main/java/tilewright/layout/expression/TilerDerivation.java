package tilewright.layout.expression;

import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/**
 * Derivation of an operation that works mode by mode.
 *
 * @param free what {@code _} leaves a mode as
 * @param behind what becomes of modes behind the tiler's last one
 * @param rule what it does with a layout as tiler
 */
record TilerDerivation(String free, String behind, Rule rule) {

  interface Rule {
    void derive(Layout layout, Layout tile, Facts facts);
  }

  void derive(Layout layout, Tiler tiler, Facts facts) {
    switch (tiler) {
      case Tiler.Keep _ -> facts.add("_ leaves " + layout + " " + free);
      case Tiler.ByLayout(var tile) -> rule.derive(layout, tile, facts);
      case Tiler.ByMode(var tilers) when tilers.size() <= layout.rank() -> {
        for (int i = 0; i < tilers.size(); i++) {
          facts.add("mode " + i + ":");
          derive(layout.mode(i), tilers.get(i), facts.inner());
        }
        if (tilers.size() < layout.rank()) facts.add("modes behind the tiler's are " + behind);
      }
      case Tiler.ByMode _ -> { }
    }
  }
}
