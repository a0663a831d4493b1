package tilewright.layout.expression;

import java.util.ArrayList;
import tilewright.layout.Decision;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** R = A ∘ B, leaf by leaf of B: what A makes of the multiples of each stride. */
final class CompositionDerivation {
  private static final int SHOWN = 8;

  private CompositionDerivation() {}

  static void byMode(Layout a, Tiler b, Dialect dialect, Facts facts) {
    boolean dropped = dialect.shortTiler() == Dialect.ShortTiler.DROP;
    new TilerDerivation("as it is", dropped ? "dropped, as in CuTe C++" : "kept, as in pycute",
        (mode, tile, where) -> derive(mode, tile, mode.tryComposition(tile, dialect), where)).derive(a, b, facts);
  }

  static void derive(Layout a, Layout b, Decision<Layout> decision, Facts facts) {
    // As everywhere in a composition, A counts beyond its size.
    var coalesced = a.coalesceExtended();
    facts.add("A = " + a + (coalesced.equals(a) ? "" : ", coalesced " + coalesced) + "; B = " + b);
    long[] extents = b.flatShape();
    long[] strides = b.flatStride();
    for (int i = 0; i < extents.length; i++) leaf(a, Layout.of(extents[i], strides[i]), facts);
    facts.result("R", decision);
  }

  private static void leaf(Layout a, Layout leaf, Facts facts) {
    facts.add("leaf " + leaf + ": " + switch (a.tryComposition(leaf)) {
      case Decision.Defined<Layout>(var cut, var _) -> values(leaf, cut) + (cut.rank() > 1 ? carry(leaf, cut) : "");
      case Decision.Undefined<Layout> undefined -> undefined.numbers();
    });
  }

  private static String values(Layout leaf, Layout cut) {
    var at = new ArrayList<String>();
    var values = new ArrayList<String>();
    for (long i = 0; i < Math.min(SHOWN, leaf.size()); i++) {
      at.add(Long.toString(leaf.apply(i)));
      values.add(Long.toString(cut.apply(i)));
    }
    var more = leaf.size() > SHOWN ? ",…" : "";
    return "A at " + String.join(",", at) + more + " is " + String.join(",", values) + more + ", that is " + cut;
  }

  /** The first multiple at which A no longer continues. */
  private static String carry(Layout leaf, Layout cut) {
    long first = cut.flatShape()[0];
    return ", cut after " + first + " where the multiples of " + leaf.flatStride()[0] + " carry: A("
        + leaf.apply(first) + ") is " + cut.apply(first) + ", not " + first + "·" + cut.flatStride()[0];
  }
}
