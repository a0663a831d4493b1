package tilewright.layout.expression;

import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.QuasiInverse;

/** Inverses: which offsets are found where, and how far. */
final class InverseDerivations {
  private InverseDerivations() {}

  static void right(Layout layout, Dialect dialect, Facts facts) {
    var inverse = InverseOperations.right(layout, dialect);
    long[] extents = inverse.flatShape();
    long[] strides = inverse.flatStride();
    long offset = 1;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 1) continue;
      facts.add("offsets t·" + offset + " for t below " + extents[i] + " are at indices t·" + strides[i] + ": A("
          + strides[i] + ") = " + layout.apply(strides[i]));
      offset *= extents[i];
    }
    boolean stopped = dialect.rightInverse() == Dialect.RightInverse.PREFIX && inverse.size() < layout.size();
    facts.add("R ends at offset " + offset + (stopped ? ", where the next mode by stride does not go on" : "")
        + ": A(R(i)) is i for each i below " + inverse.size());
  }

  static void quasi(Layout layout, Facts facts) {
    layout.collision().ifPresent(same -> facts.add("no left inverse: indices " + same.first() + " and "
        + same.second() + " have offset " + same.offset()));
    facts.result("Q", QuasiInverse.of(layout));
  }

  /** The run, and what stops it. */
  static void maxCommon(Layout a, Layout b, Facts facts) {
    var fromA = a.rightInverse();
    var fromB = b.rightInverse();
    facts.add("right inverses: A‡ = " + fromA + ", B‡ = " + fromB);
    var common = a.maxCommonLayout(b);
    long end = common.size();
    facts.add("R = " + common + ": A(R(i)) = B(R(i)) = i for each i below " + end);
    if (end < Math.min(fromA.size(), fromB.size())) {
      facts.add("offset " + end + ": A has it at index " + fromA.apply(end) + ", B at index " + fromB.apply(end));
    } else {
      facts.add("no longer: " + (end == fromA.size() ? "A‡" : "B‡") + " ends there");
    }
  }
}
