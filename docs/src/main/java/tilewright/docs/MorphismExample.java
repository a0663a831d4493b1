package tilewright.docs;

import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.MorphismDiagram;
import tilewright.layout.morphism.Refinement;
import tilewright.layout.morphism.TupleMorphism;

/** A composition of two layouts by their tuple morphisms, step by step and drawn. */
final class MorphismExample {
  private MorphismExample() {}

  /** @param what the step in words */
  record Step(String what, TupleMorphism morphism) {}

  /** The layouts' standard forms, both refined, their composite, and that coalesced. */
  static List<Step> steps(Layout outer, Layout inner) {
    var g = TupleMorphism.tryStandardForm(outer).orElseThrow();
    var f = TupleMorphism.tryStandardForm(inner).orElseThrow();
    var mutual = Refinement.tryMutual(f.codomain(), g.domain()).orElseThrow();
    var composite = g.tryWeakComposition(f).orElseThrow();
    return List.of(new Step("outer layout, standard form", g), new Step("inner layout, standard form", f),
        new Step("inner, pulled back along " + mutual.first(), f.tryPullback(mutual.first()).orElseThrow()),
        new Step("outer, pushed forward along " + mutual.second(), g.tryPushforward(mutual.second()).orElseThrow()),
        new Step("composite", composite),
        new Step("coalesced over " + f.domain(), composite.tryCoalesceOver(f.domain()).orElseThrow()));
  }

  static List<Step> steps() {
    return steps(Layout.parse("(10,2):(16,4)"), Layout.parse("(5,4):(1,5)"));
  }

  /** An AsciiDoc table of the steps with the layouts that they realise. */
  static String table() {
    var table = new StringBuilder("[cols=\"2,2,2\"]\n|===\n|Step |Morphism |Layout\n\n");
    for (var step : steps()) {
      table.append("|").append(verbatim(step.what())).append(" |`").append(verbatim(step.morphism())).append("` |`")
          .append(verbatim(step.morphism().layout())).append("`\n");
    }
    return table.append("|===\n").toString();
  }

  /** Protects text from AsciiDoc, for which two brackets begin an index term. */
  private static String verbatim(Object text) {
    return "+" + text + "+";
  }

  /** Why a layout has no morphism. */
  static String refusal(String layout) {
    return TupleMorphism.tryStandardForm(Layout.parse(layout)) instanceof Decision.Undefined<TupleMorphism> none
        ? none.message() + "\n" : "";
  }

  /** The refined morphisms side by side. */
  static Drawing figure() {
    var steps = steps();
    return MorphismDiagram.of(steps.get(2).morphism(), steps.get(3).morphism()).toDrawing();
  }
}
