package tilewright.layout.expression;

import java.util.ArrayList;
import tilewright.layout.Composition;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;
import tilewright.layout.decision.Decision;

/** R = A ∘ B, leaf by leaf of B: what A makes of the multiples of each stride. */
final class CompositionDerivation {
  private static final int SHOWN = 8;

  private CompositionDerivation() {}

  static void byMode(Layout a, Tiler b, Dialect dialect, Facts facts) {
    boolean dropped = dialect.shortTiler() == Dialect.ShortTiler.DROP;
    new TilerDerivation("as it is", dropped ? "dropped, as in CuTe C++" : "kept, as in pycute",
        (mode, tile, where) -> derive(mode, tile, Composition.of(mode, tile, dialect), where)).derive(a, b, facts);
  }

  static void derive(Layout a, Layout b, Decision<Layout> decision, Facts facts) {
    // As everywhere in a composition, A counts beyond its size.
    var coalesced = a.coalesceExtended();
    facts.add("A = " + a + (coalesced.equals(a) ? "" : ", coalesced " + coalesced) + "; B = " + b);
    long[] extents = b.flatShape();
    long[] strides = b.flatStride();
    var carries = new Carries();
    boolean defined = true;
    for (int i = 0; i < extents.length; i++) {
      var leaf = Layout.of(extents[i], strides[i]);
      switch (Composition.of(a, leaf)) {
        case Decision.Defined<Layout>(var cut, var _) -> {
          facts.add("leaf " + leaf + ": " + values(leaf, cut) + (cut.rank() > 1 ? carry(leaf, cut) : ""));
          carries.add(strides[i], cut);
        }
        case Decision.Undefined<Layout> undefined -> {
          facts.add("leaf " + leaf + ": " + undefined.numbers());
          defined = false;
        }
      }
    }
    if (defined) carries.derive(coalesced, facts);
    facts.result("R", decision);
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
