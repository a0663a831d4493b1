package tilewright.kernel.collective.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * The end of attention: rows of weighted sums are divided by their sums of weights and stored, and each row's
 * logarithm by one of the lanes that share it.
 *
 * @param lse (queries) where the logarithms go
 */
public record AttentionEpilogue(FragmentRows rows, Optional<GlobalTensor> lse) {
  private static final int PAIR = 2;

  /**
   * Stores a thread's part of a tile.
   *
   * @param o from the tile's origin on: (queries, head dimension, 1, 1)
   */
  public void store(Scope k, I32 thread, List<OnlineSoftmax.Total> totals, List<tilewright.kernel.F32> sums,
      GlobalTensor o) {
    var zero = k.constant(0);
    for (int value = 0; value < sums.size(); value += PAIR) {
      int first = value;
      var inverse = totals.get(rows.rowOf(value)).inverse();
      var place = rows.partition().coordinate(thread, value);
      var element = o.at(place[0], place[1], zero, zero);
      k.when(element.inside(), () ->
          element.store(sums.get(first).times(inverse), sums.get(first + 1).times(inverse)));
    }
    lse.ifPresent(tensor -> k.when(rows.column(thread).lessThan(1), () -> IntStream.range(0, rows.count()).forEach(r -> {
      var element = tensor.at(rows.row(thread, r), zero, zero);
      k.when(element.inside(), () -> element.store(totals.get(r).logSumExp()));
    })));
  }
}
