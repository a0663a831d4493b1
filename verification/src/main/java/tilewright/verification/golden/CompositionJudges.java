package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import tilewright.layout.Composition;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** Composition: R(i) = A(B(i)), R refines B; by mode, each mode with its tiler. */
final class CompositionJudges {
  private CompositionJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "composition", CompositionJudges::composition,
        "composition_tiler", CompositionJudges::byMode);
  }

  private static Judgement composition(GoldenRecord golden) {
    var a = golden.layout("a");
    var b = golden.layout("b");
    var ours = Answer.of(() -> a.composition(b));
    if (golden.has("realizable") && golden.says("realizable") == ours.refuses()) {
      return Judgement.mismatch(golden.says("realizable") ? "a layout" : "a refusal", ours);
    }
    return LayoutVerdict.of(golden, ours, Optional.of(Definitions.composed(a, b)), b);
  }

  private static Judgement byMode(GoldenRecord golden) {
    var a = golden.layout("a");
    var tiler = golden.tiler("tiler");
    var ours = Answer.of(() -> a.composition(tiler));
    if (ours.refuses()) {
      return isComposable(a, tiler) ? Judgement.mismatch("a layout, since one exists", ours)
          : Judgement.refused(ours.refusal());
    }
    var layout = ours.value().orElseThrow();
    if (!composes(layout, a, tiler)) return Judgement.mismatch(a + " ∘ " + tiler + " by mode", layout);
    if (!golden.says("admissible") || LayoutVerdict.sameFunction(golden.expectedLayout(), layout)) {
      return Judgement.agreed(layout);
    }
    // pycute keeps the modes behind a short tiler; CuTe C++ drops them.
    var kept = Composition.byMode(a, tiler, Dialect.PYCUTE).orElseThrow();
    return LayoutVerdict.sameFunction(golden.expectedLayout(), kept) ? Judgement.dialect(golden.expected(), layout)
        : Judgement.mismatch(golden.expected(), kept);
  }

  private static boolean composes(Layout result, Layout a, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> result.equals(a);
      case Tiler.ByLayout by -> by.layout().shape().isCompatibleWith(result.shape())
          && Arrays.equals(Definitions.composed(a, by.layout()), Definitions.offsets(result));
      case Tiler.ByMode by -> {
        if (result.rank() != by.tilers().size()) yield false;
        for (int i = 0; i < result.rank(); i++) {
          if (!composes(result.mode(i), a.mode(i), by.tilers().get(i))) yield false;
        }
        yield true;
      }
    };
  }

  private static boolean isComposable(Layout a, Tiler tiler) {
    return switch (tiler) {
      case Tiler.Keep _ -> true;
      case Tiler.ByLayout by -> Definitions.isRealizable(Definitions.composed(a, by.layout()), by.layout());
      case Tiler.ByMode by -> {
        if (by.tilers().size() > a.rank()) yield false;
        for (int i = 0; i < by.tilers().size(); i++) {
          if (!isComposable(a.mode(i), by.tilers().get(i))) yield false;
        }
        yield true;
      }
    };
  }
}
