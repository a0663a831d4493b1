package tilewright.verification.golden;

import java.util.Map;
import java.util.Optional;
import tilewright.layout.Layout;

/** A ⊗ B = (A, complement(A, size A · cosize B) ∘ B). */
final class ProductJudges {
  private ProductJudges() {}

  static Map<String, Judge> all() {
    return Map.of("logical_product", ProductJudges::logical);
  }

  private static Judgement logical(GoldenRecord golden) {
    var a = golden.layout("a");
    var b = golden.layout("tiler");
    var demanded = copies(a, b).map(copies -> Definitions.sums(a.offsets(), copies));
    return LayoutVerdict.of(golden, Answer.of(() -> a.logicalProduct(b)), demanded, Layout.of(a, b));
  }

  /** Where the copies of A begin, by the index of B. */
  private static Optional<long[]> copies(Layout a, Layout b) {
    return Definitions.complement(a, a.size() * b.cosize()).map(rest -> Definitions.composed(rest, b));
  }
}
