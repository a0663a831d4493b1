package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.LongStream;
import tilewright.layout.CompactOrder;
import tilewright.layout.Layout;

/** Compact layouts in a given order of modes. */
final class ConstructionJudges {
  private ConstructionJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "make_ordered_layout", g -> compact(g, Layout.ordered(g.tuple("shape"), g.tuple("order"))),
        "make_layout_like", g -> compact(g, CompactOrder.like(g.layout("a"))),
        "make_fragment_like", g -> compact(g, CompactOrder.fragmentLike(g.layout("a"))));
  }

  /** Without gaps or elements that share an offset; where modes tie, CuTe C++ overlaps them. */
  private static Judgement compact(GoldenRecord golden, Layout ours) {
    var theirs = golden.expectedLayout();
    if (!isCompact(ours)) return Judgement.mismatch("a compact layout", ours);
    // An order with ties, which only make_ordered_layout is given, is outside its domain.
    if (!isCompact(theirs)) return Judgement.agreed(ours).whereOracleIs(!golden.verdict().equals("nocompact"));
    return LayoutVerdict.sameFunction(theirs, ours) ? Judgement.agreed(ours) : Judgement.mismatch(theirs, ours);
  }

  private static boolean isCompact(Layout layout) {
    return Definitions.uniformImage(layout).filter(i -> Arrays.equals(i, LongStream.range(0, i.length).toArray()))
        .isPresent();
  }
}
