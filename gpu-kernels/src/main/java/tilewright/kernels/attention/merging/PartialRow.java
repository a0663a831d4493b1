package tilewright.kernels.attention.merging;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernel.collective.attention.OnlineSoftmax;

/**
 * A row's states in {@link StateMerge}.
 *
 * @param logs of the states, or where there are {@code ownSums} their maxima
 * @param split the states of its entry, where they lie in slots
 */
record PartialRow(Scope k, I32 query, I32 head, I32 batch, GlobalTensor partial, GlobalTensor logs,
    Optional<GlobalTensor> ownSums, Optional<GlobalTensor> sinks, Optional<BalancedSplits.States> split) {
  private static final float LOG2_E = 1.4426950408889634f;
  private static final float LN_2 = 0.6931472f;
  private static final int WIDTH = PartialStates.VECTOR;
  /** States whose O a warp reads at once. */
  private static final int TOGETHER = 4;

  Pred exists() {
    return query.lessThan(logs.extent(0)).and(head.lessThan(logs.extent(1))).and(batch.lessThan(logs.extent(2)));
  }

  /** The row with the states of a split entry. */
  PartialRow in(BalancedSplits.States states) {
    return new PartialRow(k, query, head, batch, partial, logs, ownSums, sinks, Optional.of(states));
  }

  /** The number of states. */
  I32 states() {
    return split.map(BalancedSplits.States::count).orElseGet(() -> logs.extent(3));
  }

  private I32 slot(I32 state) {
    return split.map(of -> of.slot(state)).orElse(state);
  }

  private F32 log(I32 state) {
    return logs.at(query, head, batch, slot(state)).load();
  }

  private Optional<F32> ownSum(I32 state) {
    return ownSums.map(sums -> sums.at(query, head, batch, slot(state)).load());
  }

  /** Adds up the logarithms of all states and the sink, in each warp. */
  Total total(I32 lane, ThreadGroup warp) {
    var sink = sinks.map(logits -> logits.at(head).load());
    var most = k.accumulator(-Float.MAX_VALUE);
    sink.ifPresent(logit -> most.set(most.value().max(logit)));
    k.loop(lane, states(), Warp.SIZE, state -> most.set(most.value().max(log(state))));
    var largest = warp.max(most.value());
    largest.register();
    var exponentials = k.accumulator();
    k.loop(lane, states(), Warp.SIZE,
        state -> exponentials.add(Total.exponential(log(state), ownSum(state), largest)));
    var ofStates = warp.sum(exponentials.value());
    var sum = sink.map(logit -> ofStates.plus(logit.minus(largest).times(LOG2_E).exp2())).orElse(ofStates);
    return new Total(largest, sum, sum.reciprocal().where(sum.notEqualTo(0f), k.constant(1f)));
  }

  /**
   * The sum over every {@code step}-th state: a vector of each lane. A sum over all of them adds rounded products, as
   * sums of one state each are added up, so that few states have the same bits either way.
   */
  List<F32> sum(I32 begin, int step, I32 vector, Total total) {
    var sums = Stream.generate(k::accumulator).limit(WIDTH).toList();
    k.loop(begin, states(), step * TOGETHER, first -> {
      for (int i = 0; i < TOGETHER; i++) add(sums, step == 1, first.plus(i * step), vector, total);
    });
    return sums.stream().map(F32.Accumulator::value).toList();
  }

  /** A state without weight may have no O: it is not read, since no weight makes a number of NaN. */
  private void add(List<F32.Accumulator> sums, boolean rounded, I32 state, I32 vector, Total total) {
    var exists = state.lessThan(states());
    var log = logs.at(query, head, batch, slot(state)).vectorOrZeros(1, exists).values().getFirst();
    var own = ownSums.map(all -> all.at(query, head, batch, slot(state)).vectorOrZeros(1, exists).values()
        .getFirst());
    var weight = total.weight(log, own).where(exists, k.constant(0f));
    var place = partial.at(vector.times(WIDTH), query, head, batch, slot(state));
    var values = place.vectorOrZeros(WIDTH, place.inside().and(weight.greaterThan(k.constant(0f)))).values();
    for (int i = 0; i < WIDTH; i++) {
      if (rounded) sums.get(i).add(weight.fma(values.get(i), k.constant(0f)));
      else sums.get(i).fma(weight, values.get(i));
    }
  }

  /**
   * The sum over all states.
   *
   * @param largest logarithm or maximum, or the least number where there is none
   * @param sum Σ exp(LSEₛ − largest), or of maxima times the states' own sums
   * @param inverse of the sum; 1 where that is 0
   */
  record Total(F32 largest, F32 sum, F32 inverse) {
    /** The share of a state with this logarithm, or this maximum and sum. */
    F32 weight(F32 log, Optional<F32> own) {
      return exponential(log, own, largest).times(inverse);
    }

    static F32 exponential(F32 log, Optional<F32> own, F32 largest) {
      var ofLargest = log.minus(largest).times(LOG2_E).exp2();
      return own.map(ofLargest::times).orElse(ofLargest);
    }

    OnlineSoftmax.Total ofRow() {
      var least = largest.constant(Float.NEGATIVE_INFINITY);
      return new OnlineSoftmax.Total(inverse, largest.plus(sum.log2().times(LN_2)),
          largest.where(sum.notEqualTo(0f), least), sum);
    }
  }
}
