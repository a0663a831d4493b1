package tilewright.layout.expression;

import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;

/** The complement as the gaps in a chain of modes. */
final class ComplementDerivation {
  private ComplementDerivation() {}

  static void derive(Layout layout, Decision<Layout> decision, Facts facts) {
    if (!(decision instanceof Decision.Defined<Layout>(var complement, var certificate))) return;
    var filtered = layout.filter();
    if (!filtered.equals(layout)) facts.add("without strides 0, coalesced: " + filtered);
    long end = 1;
    for (var link : Chain.of(filtered, complement)) {
      facts.add((link.own() ? "mode " : "gap  ") + link.extent() + ":" + link.stride() + " begins at " + end
          + ", reaches " + link.reach());
      end = link.reach();
    }
    facts.add("the gaps are " + complement);
    facts.certified(certificate);
  }
}
