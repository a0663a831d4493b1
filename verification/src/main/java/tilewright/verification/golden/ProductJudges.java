package tilewright.verification.golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.LongStream;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/** A ⊗ B = (A, complement(A, size A · cosize B) ∘ B), and its arrangements by mode. */
final class ProductJudges implements ByModeJudge.Split {
  private ProductJudges() {}

  static Map<String, Judge> all() {
    var split = new ProductJudges();
    return Map.of(
        "logical_product", new ByModeJudge(Grouping.LOGICAL, Layout::logicalProduct, split),
        "logical_product_tiler", new ByModeJudge(Grouping.LOGICAL, Layout::logicalProduct, split),
        "zipped_product", new ByModeJudge(Grouping.ZIPPED, Layout::zippedProduct, split),
        "tiled_product", new ByModeJudge(Grouping.TILED, Layout::tiledProduct, split),
        "flat_product", new ByModeJudge(Grouping.FLAT, Layout::flatProduct, split),
        "tile_to_shape", ProductJudges::tileToShape,
        "blocked_product", zipped(Layout::blockedProduct, false),
        "raked_product", zipped(Layout::rakedProduct, true));
  }

  @Override
  public boolean holds(Layout block, Layout copies, Layout a, Layout tiler) {
    return block.equals(a) && tiler.shape().isCompatibleWith(copies.shape())
        && copies(a, tiler).filter(table -> Arrays.equals(table, Definitions.offsets(copies))).isPresent();
  }

  @Override
  public boolean exists(Layout a, Layout tiler) {
    return copies(a, tiler).filter(table -> Definitions.isRealizable(table, tiler)).isPresent();
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

  /** The block, repeated in the order of modes until it has the shape. */
  private static Judgement tileToShape(GoldenRecord golden) {
    var block = golden.layout("block");
    var shape = golden.tuple("shape");
    var ours = Answer.of(() -> golden.hasArgument("order") ? block.tileToShape(shape, golden.tuple("order"))
        : block.tileToShape(shape));
    int rank = Math.max(block.rank(), shape.rank());
    var repeats = repeats(padded(block, rank), padded(Layout.columnMajor(shape), rank));
    if (repeats.isEmpty()) {
      return ours.refuses() ? Judgement.refused(ours.refusal()) : Judgement.mismatch("a refusal", ours);
    }
    var order = golden.hasArgument("order") ? golden.tuple("order").flatten() : LongStream.range(0, rank).toArray();
    var tiles = ordered(repeats.get(), order);
    var judgement = LayoutVerdict.byDefinition(ours.map(layout -> unzipped(layout, false)), demanded(block, tiles),
        Layout.of(padded(block, rank), tiles));
    if (judgement.outcome() != Outcome.AGREED) return judgement;
    var layout = ours.value().orElseThrow();
    return shape.isCompatibleWith(layout.shape()) ? LayoutVerdict.sameAsRecord(golden, layout)
        : Judgement.mismatch("a refinement of " + shape, layout);
  }

  /** How often the block stands in each mode, if it fills them. */
  private static Optional<long[]> repeats(Layout block, Layout shape) {
    var repeats = new long[shape.rank()];
    for (int i = 0; i < repeats.length; i++) {
      if (shape.mode(i).size() % block.mode(i).size() != 0) return Optional.empty();
      repeats[i] = shape.mode(i).size() / block.mode(i).size();
    }
    return Optional.of(repeats);
  }

  /** Compact, the mode of the smallest order fastest. */
  private static Layout ordered(long[] extents, long[] order) {
    var strides = new long[extents.length];
    for (int i = 0; i < extents.length; i++) {
      strides[i] = 1;
      for (int j = 0; j < extents.length; j++) {
        if (order[j] < order[i]) strides[i] *= extents[j];
      }
    }
    return Layout.of(IntTuple.flat(extents), IntTuple.flat(strides));
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
    return copies(a, b).map(copies -> Definitions.sums(Definitions.offsets(a), copies));
  }

  /** Where the copies of A begin, by the index of B. */
  private static Optional<long[]> copies(Layout a, Layout b) {
    return Definitions.complement(a, Math.multiplyExact(a.size(), b.cosize()))
        .map(rest -> Definitions.composed(rest, b));
  }
}
