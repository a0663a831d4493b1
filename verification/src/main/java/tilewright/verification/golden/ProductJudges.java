package tilewright.verification.golden;

import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import tilewright.layout.Layout;

/** A ⊗ B = (A, complement(A, size A · cosize B) ∘ B), and its arrangements by mode. */
final class ProductJudges {
  private ProductJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "logical_product", ProductJudges::logical,
        "blocked_product", zipped(Layout::blockedProduct, false),
        "raked_product", zipped(Layout::rakedProduct, true));
  }

  private static Judgement logical(GoldenRecord golden) {
    var a = golden.layout("a");
    var b = golden.layout("tiler");
    return LayoutVerdict.of(golden, Answer.of(() -> a.logicalProduct(b)), demanded(a, b), Layout.of(a, b));
  }

  /** Both with modes (1:0) up to the same rank; then mode i holds mode i of the block and of the tiles. */
  private static Judge zipped(BinaryOperator<Layout> operation, boolean tilesFirst) {
    return golden -> {
      var a = golden.layout("a");
      var b = golden.layout("b");
      int rank = Math.max(a.rank(), b.rank());
      var ours = Answer.of(() -> operation.apply(a, b));
      var judgement = LayoutVerdict.byDefinition(ours.map(layout -> unzipped(layout, tilesFirst)), demanded(a, b),
          Layout.of(padded(a, rank), padded(b, rank)));
      return judgement.outcome() == Outcome.AGREED ? LayoutVerdict.sameAsRecord(golden, ours.value().orElseThrow())
          : judgement;
    };
  }

  private static Layout padded(Layout layout, int rank) {
    var modes = new ArrayList<>(layout.modes());
    while (modes.size() < rank) modes.add(Layout.of(1, 0));
    return Layout.of(modes);
  }

  /** ((block modes),(tile modes)) of ((block, tile), (block, tile), …). */
  private static Layout unzipped(Layout product, boolean tilesFirst) {
    var block = product.modes().stream().map(mode -> mode.mode(tilesFirst ? 1 : 0)).toList();
    var tiles = product.modes().stream().map(mode -> mode.mode(tilesFirst ? 0 : 1)).toList();
    return Layout.of(Layout.of(block), Layout.of(tiles));
  }

  private static Optional<long[]> demanded(Layout a, Layout b) {
    return Definitions.complement(a, Math.multiplyExact(a.size(), b.cosize()))
        .map(rest -> Definitions.sums(Definitions.offsets(a), Definitions.composed(rest, b)));
  }
}
