package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** A ⊘ T = A ∘ (T, complement(T, size A)), by layout or by mode, in four groupings. */
final class DivisionJudges {
  private DivisionJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "logical_divide", judge(Grouping.LOGICAL, Layout::logicalDivide),
        "logical_divide_tiler", judge(Grouping.LOGICAL, Layout::logicalDivide),
        "zipped_divide", judge(Grouping.ZIPPED, Layout::zippedDivide),
        "tiled_divide", judge(Grouping.TILED, Layout::tiledDivide),
        "flat_divide", judge(Grouping.FLAT, Layout::flatDivide));
  }

  private static Judge judge(Grouping grouping, BiFunction<Layout, Tiler, Layout> operation) {
    return golden -> {
      var a = golden.layout("a");
      var tiler = golden.tiler("tiler");
      var ours = Answer.of(() -> operation.apply(a, tiler));
      if (ours.refuses()) {
        return divides(a, tiler) ? Judgement.mismatch("a layout, since one exists", ours)
            : Judgement.refused(ours.refusal());
      }
      var layout = ours.value().orElseThrow();
      if (!grouping.splits(layout, a, tiler, DivisionJudges::isQuotient)) {
        return Judgement.mismatch(a + " ⊘ " + tiler + " by its definition", layout);
      }
      if (golden.says("admissible") && !LayoutVerdict.sameFunction(golden.expectedLayout(), layout)) {
        return Judgement.mismatch(golden.expected(), layout);
      }
      return Judgement.agreed(layout);
    };
  }

  /** Whether tile and rest are what the definition says of one mode. */
  private static boolean isQuotient(Layout tile, Layout rest, Layout a, Layout tiler) {
    return demanded(a, tiler)
        .filter(table -> Arrays.equals(table, Definitions.offsets(Layout.of(tile, rest))))
        .filter(_ -> tiler.shape().isCompatibleWith(tile.shape())).isPresent();
  }

  private static Optional<long[]> demanded(Layout a, Layout tiler) {
    return Definitions.complement(tiler, a.size()).map(rest -> Definitions.composed(a, Layout.of(tiler, rest)));
  }

  private static boolean divides(Layout a, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> true;
      case Tiler.ByLayout by -> Definitions.complement(by.layout(), a.size()).map(rest -> Layout.of(by.layout(), rest))
          .filter(both -> Definitions.isRealizable(Definitions.composed(a, both), Layout.of(
              by.layout(), Layout.of(both.mode(1).size(), 1)))).isPresent();
      case Tiler.ByMode by -> {
        if (by.tilers().size() > a.rank()) yield false;
        for (int i = 0; i < by.tilers().size(); i++) {
          if (!divides(a.mode(i), by.tilers().get(i))) yield false;
        }
        yield true;
      }
    };
  }
}
