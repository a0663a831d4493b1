package tilewright.kernel.collective.attention;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.TiledCopy;

/**
 * The end of attention: rows of weighted sums are divided by their sums of weights, rounded into shared memory and
 * copied from there in wide accesses; each row's statistics are stored by one of the lanes that share it.
 *
 * @param staging (queries, columns, 1) in shared memory that nobody reads any more: all columns, or some at a time
 * @param copy of a tile of O
 * @param stored (queries, 1, 1) from the tile's origin on
 */
public record AttentionEpilogue(FragmentRows rows, SharedTensor staging, TiledCopy copy, StoredTotals stored) {
  /**
   * Stores a block's tile.
   *
   * @param sums of this thread
   * @param o from the tile's origin on: (queries, head dimension, 1, 1)
   */
  public void store(Scope k, I32 thread, List<OnlineSoftmax.Total> totals, List<F32> sums, GlobalTensor o) {
    var zero = k.constant(0);
    int width = Math.toIntExact(rows.partition().tile().get(1));
    int columns = Math.toIntExact(staging.layout().shape().mode(1).size());
    for (int first = 0; first < width; first += columns) {
      if (first > 0) k.barrier();
      // Values of a thread go from column to column in the end.
      stage(k, thread, totals, sums, first, first * sums.size() / width, (first + columns) * sums.size() / width);
      k.barrier();
      copy.copyBack(thread, staging, zero, first == 0 ? o : o.from(zero, k.constant(first), zero, zero), zero, zero);
    }
    if (!stored.any()) return;
    k.when(rows.column(thread).lessThan(1), () -> {
      for (int row = 0; row < rows.count(); row++) {
        var place = rows.row(thread, row);
        var element = stored.at(tensor -> tensor.at(place, zero, zero));
        var total = totals.get(row);
        k.when(element.inside(), () -> element.store(total));
      }
    });
  }

  /** Rounds the thread's values from {@code begin} to before {@code end} into the staging memory. */
  private void stage(Scope k, I32 thread, List<OnlineSoftmax.Total> totals, List<F32> sums, int firstColumn, int begin,
      int end) {
    int beside = rows.neighbour();
    for (int value = begin; value < end; value++) {
      if (value / beside % 2 > 0) continue;
      var inverse = totals.get(rows.rowOf(value)).inverse();
      var place = rows.partition().coordinate(thread, value);
      staging.at(place[0], place[1].plus(-firstColumn), k.constant(0)).store(sums.get(value).times(inverse),
          sums.get(value + beside).times(inverse));
    }
  }
}
