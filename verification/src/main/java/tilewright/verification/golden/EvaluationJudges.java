package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import tilewright.layout.Layout;

/** Coordinates, offsets, sizes, and layouts as they are built. */
final class EvaluationJudges {
  private EvaluationJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "layout_eval", g -> exact(g, Answer.of(() -> g.layout("layout").apply(g.tuple("crd")))),
        "layout_ctor", EvaluationJudges::constructor,
        "make_layout", g -> exact(g, Answer.of(() -> concatenated(g.argument("layouts")))),
        "cosize", g -> exact(g, Answer.of(() -> g.layout("a").cosize())),
        "size_cosize_rank", EvaluationJudges::sizes);
  }

  /** Judges printed equality: our answer prints as the oracle's, and we refuse what the oracle rejected. */
  static Judgement exact(GoldenRecord golden, Answer<?> ours) {
    if (!golden.raises()) return Judgement.equal(golden.expected(), ours);
    return ours.refuses() ? Judgement.refused(ours.refusal()) : Judgement.mismatch("a refusal", ours);
  }

  /** Strides of modes of extent 1 are a convention, so the function decides. */
  private static Judgement constructor(GoldenRecord golden) {
    var ours = Layout.columnMajor(golden.tuple("shape"));
    var theirs = golden.expectedLayout();
    return ours.shape().equals(theirs.shape()) && LayoutVerdict.sameFunction(ours, theirs) ? Judgement.agreed(ours)
        : Judgement.mismatch(theirs, ours);
  }

  private static Layout concatenated(String layouts) {
    return Layout.of(Arrays.stream(layouts.split(" ; ")).map(Layout::parse).toList());
  }

  /** The record's true cosize spans from 0; ours counts from the least offset, which differs for negative strides. */
  private static Judgement sizes(GoldenRecord golden) {
    var layout = golden.layout("layout");
    var offsets = layout.offsets();
    long span = Arrays.stream(offsets).max().orElse(-1) - Arrays.stream(offsets).min().orElse(0) + 1;
    var expected = "%d,%d,%d".formatted(offsets.length, span, layout.shape().modes().size());
    return Judgement.equal(expected, "%d,%d,%d".formatted(layout.size(), layout.cosize(), layout.rank()));
  }
}
