package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import tilewright.layout.Layout;
import tilewright.layout.ZeroStrides;
import tilewright.layout.tuple.IntTuple;

/** Normal forms of one layout, and its complement. */
final class SimplificationJudges {
  private SimplificationJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "coalesce", exact(Layout::coalesce),
        "coalesce_profile", byProfile(Layout::coalesce),
        "coalesce_x", SimplificationJudges::coalesceExtended,
        "filter", exact(Layout::filter),
        "filter_zeros", exact(Layout::filterZeros),
        "filter_profile", byProfile(Layout::filter),
        "nullspace", SimplificationJudges::nullspace,
        "complement", SimplificationJudges::complement);
  }

  private static Judge exact(UnaryOperator<Layout> operation) {
    return golden -> {
      var a = golden.layout("a");
      return EvaluationJudges.exact(golden, Answer.of(() -> operation.apply(a)));
    };
  }

  private static Judge byProfile(BiFunction<Layout, IntTuple, Layout> operation) {
    return golden -> {
      var a = golden.layout("a");
      var profile = golden.tuple("profile");
      return EvaluationJudges.exact(golden, Answer.of(() -> operation.apply(a, profile)));
    };
  }

  /** Judges equality on all naturals, for a last mode without an end, which CuTe C++ marks by an extent of 2. */
  private static Judgement coalesceExtended(GoldenRecord golden) {
    var a = golden.layout("a");
    var ours = a.coalesceExtended();
    var far = Layout.of(4 * a.size() + 7, 1);
    var demanded = Definitions.composed(a, far);
    boolean same = Arrays.equals(demanded, Definitions.composed(ours, far))
        && Arrays.equals(demanded, Definitions.composed(golden.expectedLayout(), far));
    return same && ours.flatShape().length <= golden.expectedLayout().flatShape().length ? Judgement.agreed(ours)
        : Judgement.mismatch(golden.expected(), ours);
  }

  /** A(N(i)) = 0, one N for as many elements as the filter leaves out. */
  private static Judgement nullspace(GoldenRecord golden) {
    var a = golden.layout("a");
    var ours = ZeroStrides.nullspace(a);
    boolean vanishes = Arrays.stream(Definitions.composed(a, ours)).allMatch(offset -> offset == 0);
    return vanishes && Definitions.isInjective(ours) && LayoutVerdict.sameFunction(golden.expectedLayout(), ours)
        ? Judgement.agreed(ours) : Judgement.mismatch(golden.expected(), ours);
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
