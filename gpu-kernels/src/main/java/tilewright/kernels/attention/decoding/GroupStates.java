package tilewright.kernels.attention.decoding;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.layout.Layout;

/**
 * The results of groups that had different keys: each group's O, divided by its own sum of exponentials, and the
 * logarithm of that sum, or the largest score and the sum relative to it. They are merged in the groups' order, so that
 * every run has the same bits.
 *
 * @param o (rows, columns of O, groups) in FP32
 * @param statistics (rows, groups, 2): logarithms, or where they are {@code apart} the largest scores and the sums
 */
record GroupStates(Scope k, SharedTensor o, SharedTensor statistics, boolean apart, int groups) {
  private static final float LOG2_E = 1.4426950408889634f;
  private static final float LN_2 = 0.6931472f;

  /** Columns of O that are here at a time. */
  int columns() {
    return Math.toIntExact(o.layout().shape().mode(1).size());
  }

  /** Layout of the rows' statistics. */
  static Layout layoutOfStatistics(DecodeShape shape) {
    return Layout.columnMajor(shape.rows(), shape.groups(), 2);
  }

  private Element first(I32 row, I32 group) {
    return statistics.at(row, group, k.constant(0));
  }

  private Element sum(I32 row, I32 group) {
    return statistics.at(row, group, k.constant(1));
  }

  /**
   * Leaves a thread's part of its group's results.
   *
   * @param first column of O that is here
   */
  void leave(I32 member, I32 group, FragmentRows rows, List<OnlineSoftmax.Total> totals, List<F32> output, int first) {
    int beside = rows.neighbour();
    totals.forEach(total -> total.inverse().register());
    // Known before the loop over the keys, places would take registers meanwhile.
    var here = member.settled();
    for (int row = 0; row < rows.count(); row++) {
      var total = totals.get(row);
      for (int value : rows.of(row)) {
        if (value / beside % 2 > 0) continue;
        var place = rows.partition().coordinate(here, value);
        var column = place[1].plus(-first);
        k.when(column.atLeast(0).and(column.lessThan(columns())), () ->
            o.at(place[0], column, group).store(output.get(value).times(total.inverse()),
                output.get(value + beside).times(total.inverse())));
      }
      var place = rows.row(here, row);
      // Of the warps that share a row, the one that has its first columns.
      k.when(rows.column(here).lessThan(MmaAtom.N), () -> {
        first(place, group).store(apart ? total.maximum() : total.logSumExp());
        if (apart) sum(place, group).store(total.sum());
      });
    }
  }

  /**
   * The weight of each group in a row, and the row's whole result.
   *
   * @param sink a logit that takes part in the row's softmax, if there is one
   */
  Merged merged(I32 row, Optional<F32> sink) {
    var all = new ArrayList<>(IntStream.range(0, groups).mapToObj(g -> first(row, k.constant(g)).load()).toList());
    sink.ifPresent(all::add);
    // Or the least number where all are −∞: their difference would be no number.
    var largest = all.stream().reduce(k.constant(-Float.MAX_VALUE), F32::max);
    var exponentials = IntStream.range(0, all.size()).mapToObj(i -> {
      var ofLargest = all.get(i).minus(largest).times(LOG2_E).exp2();
      return apart && i < groups ? ofLargest.times(sum(row, k.constant(i)).load()) : ofLargest;
    }).toList();
    var sum = exponentials.stream().reduce(F32::plus).orElseThrow();
    var inverse = sum.reciprocal().where(sum.notEqualTo(0f), k.constant(1f));
    return new Merged(this, row, exponentials.stream().limit(groups).map(inverse::times).toList(),
        new OnlineSoftmax.Total(inverse, largest.plus(sum.log2().times(LN_2)),
            largest.where(sum.notEqualTo(0f), k.constant(Float.NEGATIVE_INFINITY)), sum));
  }

  /** A row's weights and result. */
  record Merged(GroupStates states, I32 row, List<F32> weights, OnlineSoftmax.Total total) {
    /** Neighbours of the row's O from a column on. */
    List<F32> columns(I32 first, int count) {
      var sums = new ArrayList<>(part(0, first, count));
      for (int g = 1; g < states.groups; g++) {
        var more = part(g, first, count);
        for (int i = 0; i < count; i++) sums.set(i, sums.get(i).plus(more.get(i)));
      }
      return sums;
    }

    private List<F32> part(int group, I32 first, int count) {
      return states.o.at(row, first, states.k.constant(group)).load(count).stream().map(weights.get(group)::times)
          .toList();
    }
  }
}
