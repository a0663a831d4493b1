package tilewright.kernels.attention.merging;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Merges the states of splits: with L = ln Σₛ e^LSEₛ, O = Σₛ e^(LSEₛ − L)·Oₛ and LSE = L. A sink is one more state,
 * whose O is 0. A CTA has a row; each of its warps adds every eighth split, and their sums are added in order, so that
 * every run has the same bits, however many empty splits there are. It begins while the launch before it ends.
 *
 * @param output type of O
 * @param valueDim columns of O: a multiple of 8
 * @param lse whether the rows' logarithms are stored
 * @param sinks whether a logit of each head takes part in its rows' softmax
 */
public record StateMerge(ElementType output, int valueDim, boolean lse, boolean sinks) implements Kernel {
  private static final int WARPS = 8;
  /** Splits whose O a warp reads at once. */
  private static final int TOGETHER = 4;
  private static final int WIDTH = PartialStates.VECTOR;
  private static final float LOG2_E = 1.4426950408889634f;
  private static final float LN_2 = 0.6931472f;

  /** Merges the states that a problem's launch left. */
  public static PreparedLaunch prepare(AttentionProblem p, PartialStates states, Target target) {
    var s = p.sizes();
    var kernel = CompiledKernel.compile(new StateMerge(p.outputType(), s.valueDim(), p.lse().isPresent(),
        p.sinks().isPresent()), target);
    return new PreparedLaunch(kernel, new Dim3(s.queries(), s.heads(), s.batch()),
        states.addTo(AttentionArguments.of(kernel, p)).build());
  }

  @Override
  public String name() {
    return "merge_states_" + output.text() + "_d" + valueDim;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(WARPS * Warp.SIZE);
    var row = new Row(k, k.blockX(), k.blockY(), k.blockZ(), k.global(PartialStates.o().fixed("Dv", valueDim)),
        k.global(PartialStates.lse()), sinks ? Optional.of(k.global(AttentionSpecs.sinks())) : Optional.empty());
    var o = k.global(new AttentionSpecs(output).o());
    var logarithms = lse ? List.of(k.global(AttentionSpecs.logSumExp())) : List.<GlobalTensor>of();
    var sums = k.shared(ElementType.F32, Layout.columnMajor(WIDTH, vectors(), WARPS));
    k.leave(row.exists().not());
    DependentLaunch.awaitPrevious(k);

    var lane = thread.modulo(Warp.SIZE);
    var warp = thread.dividedBy(Warp.SIZE);
    var total = row.total(lane, new ThreadGroup(k, thread, WARPS * Warp.SIZE, Warp.SIZE));
    for (int first = 0; first < vectors(); first += Warp.SIZE) {
      var vector = lane.plus(first);
      var sum = row.sum(warp, vector, total);
      k.when(vector.lessThan(vectors()), () -> sums.at(k.constant(0), vector, warp).store(sum));
    }
    k.barrier();
    k.when(thread.lessThan(vectors()), () -> {
      var all = Stream.generate(() -> k.constant(0f)).limit(WIDTH).toList();
      for (int w = 0; w < WARPS; w++) all = plus(all, sums.at(k.constant(0), thread, k.constant(w)).load(WIDTH));
      o.at(row.query, thread.times(WIDTH), row.head, row.batch).store(all);
    });
    logarithms.forEach(tensor -> k.when(thread.equalTo(0),
        () -> tensor.at(row.query, row.head, row.batch).store(total.logSumExp())));
  }

  private int vectors() {
    return valueDim / WIDTH;
  }

  private static List<F32> plus(List<F32> a, List<F32> b) {
    var sum = new ArrayList<F32>();
    for (int i = 0; i < a.size(); i++) sum.add(a.get(i).plus(b.get(i)));
    return sum;
  }

  /**
   * The sum over all splits.
   *
   * @param largest logarithm, or the least number where there is none
   * @param inverse of Σ e^(LSEₛ − largest); 1 where that is 0
   */
  private record Total(F32 largest, F32 inverse, F32 logSumExp) {
    /** The share of a split with this logarithm. */
    F32 weight(F32 log) {
      return log.minus(largest).times(LOG2_E).exp2().times(inverse);
    }
  }

  /** A row's states. */
  private record Row(Scope k, I32 query, I32 head, I32 batch, GlobalTensor partial, GlobalTensor logs,
      Optional<GlobalTensor> sinks) {
    Pred exists() {
      return query.lessThan(logs.extent(0)).and(head.lessThan(logs.extent(1))).and(batch.lessThan(logs.extent(2)));
    }

    private I32 splits() {
      return logs.extent(3);
    }

    private F32 log(I32 split) {
      return logs.at(query, head, batch, split).load();
    }

    /** Adds up the logarithms of all splits and the sink, in each warp. */
    Total total(I32 lane, ThreadGroup warp) {
      var sink = sinks.map(logits -> logits.at(head).load());
      var most = k.accumulator(-Float.MAX_VALUE);
      sink.ifPresent(logit -> most.set(most.value().max(logit)));
      k.loop(lane, splits(), Warp.SIZE, split -> most.set(most.value().max(log(split))));
      var largest = warp.max(most.value());
      largest.register();
      var exponentials = k.accumulator();
      k.loop(lane, splits(), Warp.SIZE,
          split -> exponentials.add(log(split).minus(largest).times(LOG2_E).exp2()));
      var ofSplits = warp.sum(exponentials.value());
      var sum = sink.map(logit -> ofSplits.plus(logit.minus(largest).times(LOG2_E).exp2())).orElse(ofSplits);
      return new Total(largest, sum.reciprocal().where(sum.notEqualTo(0f), k.constant(1f)),
          largest.plus(sum.log2().times(LN_2)));
    }

    /** A warp's share of the sum over the splits: a vector of each lane. */
    List<F32> sum(I32 warp, I32 vector, Total total) {
      var sums = Stream.generate(k::accumulator).limit(WIDTH).toList();
      k.loop(warp, splits(), WARPS * TOGETHER, first -> {
        for (int i = 0; i < TOGETHER; i++) add(sums, first.plus(i * WARPS), vector, total);
      });
      return sums.stream().map(F32.Accumulator::value).toList();
    }

    /** A split without weight may have no O: it is not read, since no weight makes a number of NaN. */
    private void add(List<F32.Accumulator> sums, I32 split, I32 vector, Total total) {
      var exists = split.lessThan(splits());
      var log = logs.at(query, head, batch, split).vectorOrZeros(1, exists).values().getFirst();
      var weight = total.weight(log).where(exists, k.constant(0f));
      var place = partial.at(vector.times(WIDTH), query, head, batch, split);
      var values = place.vectorOrZeros(WIDTH, place.inside().and(weight.greaterThan(k.constant(0f)))).values();
      for (int i = 0; i < WIDTH; i++) sums.get(i).fma(weight, values.get(i));
    }
  }
}
