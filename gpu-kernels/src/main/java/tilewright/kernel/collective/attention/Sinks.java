package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * Attention sinks: a logit of each head takes part in the softmax of its rows like the score of a key whose value is 0.
 *
 * @param logits (heads) in FP32
 * @param packing how heads share the rows of a tile
 */
public record Sinks(Scope k, GlobalTensor logits, HeadPacking packing) {
  private static final float LOG2_E = 1.4426950408889634f;
  private static final float LN_2 = 0.6931472f;

  /**
   * Begins to read the logits of a thread's rows.
   *
   * @param head of the tile, the first one of those that are packed
   * @param firstRow where the rows begin, counted as the packing does
   */
  public OfRows of(I32 head, I32 firstRow, I32 thread, FragmentRows rows) {
    // Settled: places are found here, behind the loop over the keys, which needs the registers.
    var first = head.settled();
    if (packing.heads() == 1) return new OfRows(k, Collections.nCopies(rows.count(), logits.at(first).load()));
    var begin = firstRow.settled();
    return new OfRows(k, IntStream.range(0, rows.count()).mapToObj(number ->
        logits.at(packing.nearestHead(first, begin.plus(rows.row(thread.settled(), number)))).load()).toList());
  }

  /** The logits of a thread's rows. */
  public record OfRows(Scope k, List<F32> logits) {
    /** Adds each row's logit to its sum of exponentials. */
    public List<OnlineSoftmax.Total> addTo(List<OnlineSoftmax.Total> totals) {
      var all = new ArrayList<OnlineSoftmax.Total>();
      for (int row = 0; row < totals.size(); row++) all.add(with(logits.get(row), totals.get(row)));
      return all;
    }

    private OnlineSoftmax.Total with(F32 logit, OnlineSoftmax.Total total) {
      // Or the least number where both are −∞: their difference would be no number.
      var largest = total.logSumExp().max(logit).max(k.constant(-Float.MAX_VALUE));
      var ofKeys = total.logSumExp().minus(largest).times(LOG2_E).exp2();
      var sum = logit.minus(largest).times(LOG2_E).exp2().plus(ofKeys);
      var share = ofKeys.times(sum.reciprocal().where(sum.notEqualTo(0f), k.constant(1f)));
      var maximum = total.maximum().max(logit);
      // Relative to a number, even where both are −∞.
      var reference = maximum.max(k.constant(-Float.MAX_VALUE));
      var sumOfAll = total.sum().fma(total.maximum().minus(reference).times(LOG2_E).exp2(),
          logit.minus(reference).times(LOG2_E).exp2());
      return new OnlineSoftmax.Total(total.inverse().times(share), largest.plus(sum.log2().times(LN_2)), maximum,
          sumOfAll);
    }
  }
}
