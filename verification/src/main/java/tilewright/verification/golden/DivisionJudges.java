package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import tilewright.layout.Layout;

/** A ⊘ T = A ∘ (T, complement(T, size A)), by layout or by mode, in four groupings. */
final class DivisionJudges implements ByModeJudge.Split {
  private DivisionJudges() {}

  static Map<String, Judge> all() {
    var split = new DivisionJudges();
    return Map.of(
        "logical_divide", new ByModeJudge(Grouping.LOGICAL, Layout::logicalDivide, split),
        "logical_divide_tiler", new ByModeJudge(Grouping.LOGICAL, Layout::logicalDivide, split),
        "zipped_divide", new ByModeJudge(Grouping.ZIPPED, Layout::zippedDivide, split),
        "tiled_divide", new ByModeJudge(Grouping.TILED, Layout::tiledDivide, split),
        "flat_divide", new ByModeJudge(Grouping.FLAT, Layout::flatDivide, split));
  }

  @Override
  public boolean holds(Layout tile, Layout rest, Layout a, Layout tiler) {
    return tiler.shape().isCompatibleWith(tile.shape()) && both(a, tiler)
        .filter(b -> Arrays.equals(Definitions.composed(a, b), Definitions.offsets(Layout.of(tile, rest)))).isPresent();
  }

  @Override
  public boolean exists(Layout a, Layout tiler) {
    // The rest may be cut anew, so that only its size matters.
    return both(a, tiler).filter(b -> Definitions.isRealizable(Definitions.composed(a, b),
        Layout.of(tiler, Layout.of(b.mode(1).size(), 1)))).isPresent();
  }

  /** The tiler, and where its copies begin. */
  private static Optional<Layout> both(Layout a, Layout tiler) {
    return Definitions.complement(tiler, a.size()).map(rest -> Layout.of(tiler, rest));
  }
}
