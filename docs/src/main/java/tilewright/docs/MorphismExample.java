package tilewright.docs;

import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.draw.Drawing;
import tilewright.layout.morphism.Refinement;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;

/** A composition of two layouts by their tuple morphisms, step by step and drawn. */
final class MorphismExample {
  private static final int ROW = 34;
  private static final int COLUMN = 190;

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

  /** The refined morphisms side by side: a thread from each integer to its position. */
  static Drawing figure() {
    var steps = steps();
    var inner = steps.get(2).morphism();
    var outer = steps.get(3).morphism();
    int rows = Math.max(inner.codomain().flatten().length, outer.codomain().flatten().length);
    var drawing = new Drawing(2 * COLUMN + 120, 50 + rows * ROW,
        "Threads from each integer of " + inner.domain() + " through "
        + inner.codomain() + " to " + outer.codomain());
    column(drawing, 0, inner.domain());
    column(drawing, 1, inner.codomain());
    column(drawing, 2, outer.codomain());
    threads(drawing, 0, inner);
    threads(drawing, 1, outer);
    return drawing;
  }

  private static void column(Drawing drawing, int column, IntTuple tuple) {
    int x = 60 + column * COLUMN;
    drawing.text(x, 20, "small", tuple.toString());
    long[] extents = tuple.flatten();
    for (int i = 0; i < extents.length; i++) {
      drawing.box(x - 14, y(i) - 12, 28, 24, String.valueOf(extents[i]));
    }
  }

  private static void threads(Drawing drawing, int column, TupleMorphism morphism) {
    for (int i = 0; i < morphism.map().size(); i++) {
      int position = morphism.map().get(i);
      if (position == 0) continue;
      drawing.line(76 + column * COLUMN, y(i), 44 + (column + 1) * COLUMN, y(position - 1));
    }
  }

  private static int y(int row) {
    return 54 + row * ROW;
  }
}
