package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.LongStream;
import tilewright.layout.Layout;

/** Normal forms of one layout, and its complement. */
final class SimplificationJudges {
  private SimplificationJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "coalesce", g -> EvaluationJudges.exact(g, Answer.of(() -> g.layout("a").coalesce())),
        "coalesce_profile",
        g -> EvaluationJudges.exact(g, Answer.of(() -> g.layout("a").coalesce(g.tuple("profile")))),
        "filter", g -> EvaluationJudges.exact(g, Answer.of(() -> g.layout("a").filter())),
        "complement", SimplificationJudges::complement);
  }

  /** Off the divisible chain nothing tiles, so that only a refusal is right; on it the complement is unique. */
  private static Judgement complement(GoldenRecord golden) {
    var a = golden.layout("a");
    long bound = golden.hasArgument("cotarget") ? golden.tuple("cotarget").size() : defaultBound(golden, a);
    var ours = Answer.of(() -> a.complement(bound));
    var demanded = Definitions.complement(a, bound);
    if (ours.refuses()) {
      return demanded.isEmpty() ? Judgement.refused(ours.refusal()) : Judgement.mismatch(demanded.get(), ours);
    }
    var layout = ours.value().orElseThrow();
    if (demanded.isEmpty()) return Judgement.mismatch("a refusal", layout);
    if (!LayoutVerdict.sameFunction(demanded.get(), layout) || !tiles(a.filter(), layout)) {
      return Judgement.mismatch(demanded.get(), layout);
    }
    if (golden.says("admissible") && !golden.expectedLayout().coalesce().equals(layout.coalesce())) {
      return Judgement.mismatch(golden.expectedLayout().coalesce(), layout.coalesce());
    }
    return Judgement.agreed(layout);
  }

  /** Without a bound pycute takes 1, CuTe C++ the cosize. */
  private static long defaultBound(GoldenRecord golden, Layout a) {
    return golden.oracle().equals("pycute") ? 1 : a.filter().cosize();
  }

  private static boolean tiles(Layout filtered, Layout complement) {
    var all = Definitions.sums(Definitions.offsets(filtered), Definitions.offsets(complement));
    return Arrays.equals(Arrays.stream(all).sorted().toArray(), LongStream.range(0, all.length).toArray());
  }
}
