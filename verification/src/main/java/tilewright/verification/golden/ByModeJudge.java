package tilewright.verification.golden;

import java.util.function.BiFunction;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/**
 * Judges an operation that splits every mode in two by its tiler.
 *
 * @param grouping how the parts are arranged
 * @param split what one layout by one tiler is
 */
record ByModeJudge(Grouping grouping, BiFunction<Layout, Tiler, Layout> operation, Split split) implements Judge {

  /** The definition for one mode. */
  interface Split {
    /** Whether these are the two parts. */
    boolean holds(Layout first, Layout second, Layout a, Layout tiler);

    /** Whether there are any. */
    boolean exists(Layout a, Layout tiler);
  }

  @Override
  public Judgement judge(GoldenRecord golden) {
    var a = golden.layout("a");
    var tiler = golden.tiler("tiler");
    var ours = Answer.of(() -> operation.apply(a, tiler));
    if (ours.refuses()) {
      return exists(a, tiler) ? Judgement.mismatch("a layout, since one exists", ours)
          : Judgement.refused(ours.refusal());
    }
    var layout = ours.value().orElseThrow();
    if (!grouping.splits(layout, a, tiler, split)) return Judgement.mismatch(a + " by " + tiler + " by mode", layout);
    return golden.says("admissible") && !LayoutVerdict.sameFunction(golden.expectedLayout(), layout)
        ? Judgement.mismatch(golden.expected(), layout) : Judgement.agreed(layout);
  }

  private boolean exists(Layout a, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> true;
      case Tiler.ByLayout by -> split.exists(a, by.layout());
      case Tiler.ByMode by -> {
        if (by.tilers().size() > a.rank()) yield false;
        for (int i = 0; i < by.tilers().size(); i++) {
          if (!exists(a.mode(i), by.tilers().get(i))) yield false;
        }
        yield true;
      }
    };
  }
}
