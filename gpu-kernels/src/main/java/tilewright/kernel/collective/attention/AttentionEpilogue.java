package tilewright.kernel.collective.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.TiledCopy;

/**
 * The end of attention: rows of weighted sums are divided by their sums of weights, rounded into shared memory and
 * copied from there in wide accesses; each row's logarithm is stored by one of the lanes that share it.
 *
 * @param staging (queries, head dimension, 1) in shared memory that nobody reads any more
 * @param copy of a tile of O
 * @param lse (queries, 1, 1) from the tile's origin on
 */
public record AttentionEpilogue(FragmentRows rows, SharedTensor staging, TiledCopy copy, Optional<GlobalTensor> lse) {
  private static final int PAIR = 2;

  /**
   * Stores a block's tile.
   *
   * @param sums of this thread
   * @param o from the tile's origin on: (queries, head dimension, 1, 1)
   */
  public void store(Scope k, I32 thread, List<OnlineSoftmax.Total> totals, List<F32> sums, GlobalTensor o) {
    var zero = k.constant(0);
    for (int value = 0; value < sums.size(); value += PAIR) {
      var inverse = totals.get(rows.rowOf(value)).inverse();
      var place = rows.partition().coordinate(thread, value);
      staging.at(place[0], place[1], zero).store(sums.get(value).times(inverse), sums.get(value + 1).times(inverse));
    }
    k.barrier();
    copy.copyBack(thread, staging, zero, o, zero, zero);
    lse.ifPresent(tensor -> k.when(rows.column(thread).lessThan(1), () -> {
      for (int row = 0; row < rows.count(); row++) {
        var element = tensor.at(rows.row(thread, row), zero, zero);
        var log = totals.get(row).logSumExp();
        k.when(element.inside(), () -> element.store(log));
      }
    }));
  }
}
