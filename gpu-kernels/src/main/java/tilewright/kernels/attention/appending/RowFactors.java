package tilewright.kernels.attention.appending;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.SharedTensor;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizer;

/**
 * The factor of each row of a tile's new keys or values: its largest finite magnitude over the largest code, in the
 * range of {@link CacheCodes}.
 *
 * @param maxima of each run of a row's columns, in shared memory for the row's other threads: (run, head, token)
 * @param factors (rows, heads, batch entries or pages), which this writes
 * @param values whether the rows are those of V
 */
record RowFactors(SharedTensor maxima, int runs, GlobalTensor factors, boolean values) {
  /** Runs in an access: a row has an even number. */
  private static final int ACCESS = 2;

  /**
   * Leaves the maxima of the runs of all threads, which all take part.
   *
   * @param parts the thread's parts of rows of that many columns
   */
  static RowFactors of(TokenTile tile, List<LoadedPart> parts, int columns, boolean values) {
    var k = tile.k();
    int runs = columns / RowPart.RUN;
    var maxima = k.shared(ElementType.F32, Layout.columnMajor(runs, tile.heads(), tile.tokens()));
    var factors = k.global(AttentionSpecs.factors(values ? "descaleV" : "descaleK"));
    var result = new RowFactors(maxima, runs, factors, values);
    for (var part : parts) k.when(part.inside(), () -> result.leave(part));
    k.barrier();
    return result;
  }

  private void leave(LoadedPart part) {
    for (int run = 0; run < part.places().size(); run++) {
      var place = part.places().get(run);
      var largest = part.run(run).stream().map(RowFactors::finite).reduce(F32::max).orElseThrow();
      maxima.at(place[2].dividedBy(RowPart.RUN), place[1], place[0]).store(largest);
    }
  }

  private static F32 finite(F32 value) {
    var magnitude = value.magnitude();
    return magnitude.where(magnitude.atMost(value.constant(Float.MAX_VALUE)), value.constant(0));
  }

  /** Writes the factor of a part's row if the thread has its first column, and gives 1 over it. */
  F32 inverse(LoadedPart part, CachePlace at) {
    var k = part.heads().k();
    var place = part.places().getFirst();
    var largest = k.constant(0f);
    for (int run = 0; run < runs; run += ACCESS) {
      var some = maxima.at(k.constant(run), place[1], place[0]).vectorOrZeros(ACCESS, part.inside());
      for (var value : some.values()) largest = largest.max(value);
    }
    var factor = largest.dividedBy(k.constant(HeadQuantizer.limit(ElementType.E4M3)))
        .max(k.constant(CacheCodes.least(values))).min(k.constant(CacheCodes.most(values)));
    k.when(part.exists().and(place[2].equalTo(0)),
        () -> factors.at(at.row(), part.heads().head(place[1]), at.slot()).store(factor));
    return k.constant(1f).dividedBy(factor);
  }
}
