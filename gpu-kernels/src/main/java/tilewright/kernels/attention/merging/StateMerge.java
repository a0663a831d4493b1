package tilewright.kernels.attention.merging;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.collective.attention.StoredTotals;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.kernels.choice.Formula;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Merges partial attention: with L = ln Σₛ exp(LSEₛ), O = Σₛ exp(LSEₛ − L)·Oₛ and LSE = L. Of states with maxima and
 * sums apart, m = maxₛ mₛ, ℓ = Σₛ ℓₛ·exp(mₛ − m) and O = Σₛ ℓₛ·exp(mₛ − m)/ℓ·Oₛ, without the rounding of logarithms. A
 * row without keys in any state has O = 0, and L or m = −∞. A sink is one more state, whose O is 0. A warp has a row of
 * few states. Of many, eight warps have it, each adds every eighth state, and their sums are added in order, so that
 * every run has the same bits, however many empty states there are. On Hopper and later it begins while the launch
 * before it ends.
 *
 * @param partial type of each Oₛ: f32, f16 or bf16
 * @param output type of O: f32, f16 or bf16
 * @param valueDim columns of O: a multiple of 8, at most 1024
 * @param apart whether states have maxima and sums
 * @param statistics of the rows that are stored
 * @param sinks whether a logit of each head takes part in its rows' softmax
 * @param warps of a row: 1 or 8
 * @param balanced whether states lie in the slots of {@link BalancedSplits}: of an entry that is not split there are
 *     none, and its results are there already
 */
public record StateMerge(ElementType partial, ElementType output, int valueDim, boolean apart, Statistics statistics,
    boolean sinks, int warps, boolean balanced) implements Kernel {
  /** States up to which a warp has a row. */
  public static final int FEW_STATES = 8;
  /** Warps of a CTA, and so the states that those of a row add at once. */
  private static final int WARPS = 8;
  /** Entries from which on each has few states, so that a warp has a row. */
  private static final int FEW_ENTRIES = 8;
  private static final int WIDTH = PartialStates.VECTOR;
  /** Columns that rows of 16 bits are aligned to. */
  private static final int ALIGNED_COLUMNS = 8;
  /** Columns that the threads of a CTA store, an access each. */
  private static final int MOST_COLUMNS = WARPS * Warp.SIZE * WIDTH;
  /** Columns that a warp sums at once: parts of wide rows, which CTAs share. */
  private static final int PART_COLUMNS = Warp.SIZE * WIDTH;
  /** The argument with the CTAs that share a wide row. */
  private static final String PARTS = "parts";
  /** CTAs that a GPU works on at once, or almost: up to these, the columns of wide rows are divided. */
  private static final int MOST_CTAS = 2048;
  /** Columns from which on ptxas runs short of registers. */
  private static final int WIDE_COLUMNS = 256;

  public StateMerge {
    PartialStates.requireType(partial);
    PartialStates.requireType(output);
    if (valueDim < 1 || valueDim % ALIGNED_COLUMNS != 0 || valueDim > MOST_COLUMNS) {
      throw new IllegalArgumentException("cannot merge rows of " + valueDim + " columns: a multiple of "
          + ALIGNED_COLUMNS + ", at most " + MOST_COLUMNS);
    }
    if (warps != 1 && warps != WARPS) {
      throw new IllegalArgumentException("invalid number of warps " + warps + ": 1 or " + WARPS);
    }
  }

  /** Merges the states that splits of a problem's keys left; a row's bits do not depend on their number. */
  public static PreparedLaunch prepare(AttentionProblem p, PartialStates states, Target target) {
    return prepare(states, MergedState.of(p), warps(states), Optional.empty(), true, target);
  }

  /** Merges the states that shares of a batch left. */
  public static PreparedLaunch prepare(AttentionProblem p, WorkShares shares, Target target) {
    var states = PartialStates.ofShares(p.sizes(), shares);
    return prepare(p.apart().isPresent() ? states.apart() : states, MergedState.of(p),
        shares.batch() < FEW_ENTRIES ? WARPS : 1, Optional.of(shares), true, target);
  }

  /** The CTAs that share a row of the results of shares, over formulas of a problem's extents. */
  public static Formula partsOfShares(int valueDim, Formula queries, Formula heads, Formula batch) {
    var rows = batch.atMost(Formula.of(FEW_ENTRIES - 1), Formula.of(1), Formula.of(WARPS));
    return parts(valueDim, queries.times(heads.ceilDiv(rows)).times(batch));
  }

  /** Merges states. */
  public static PreparedLaunch prepare(PartialStates states, MergedState into, Target target) {
    return prepare(states, into, warps(states), Optional.empty(), false, target);
  }

  private static int warps(PartialStates states) {
    return states.count() <= FEW_STATES ? 1 : WARPS;
  }

  /** @param apart whether results surely lie in the place of no state, so that CTAs may share a row */
  private static PreparedLaunch prepare(PartialStates states, MergedState into, int warps, Optional<WorkShares> shares,
      boolean apart, Target target) {
    var s = states.sizes();
    boolean ofStates = states.sums().isPresent();
    if (into.apart().isPresent() && !ofStates) {
      throw new IllegalArgumentException("maxima and sums are merged from states that have them, not from logarithms");
    }
    var statistics = into.apart().isPresent() ? Statistics.MAXIMA_AND_SUMS
        : into.lse().isPresent() ? Statistics.LOGARITHMS : Statistics.NONE;
    var merge = new StateMerge(states.type(), into.type(), s.valueDim(), ofStates, statistics,
        into.sinks().isPresent(), warps, shares.isPresent());
    var kernel = CompiledKernel.compile(merge, target);
    var arguments = into.addTo(states.addTo(LaunchArguments.of(kernel)), s);
    shares.ifPresent(of -> of.addTo(arguments));
    int parts = apart ? merge.parts(s) : 1;
    return new PreparedLaunch(kernel,
        new Dim3(s.queries() * parts, Math.ceilDiv(s.heads(), merge.rows()), s.batch()),
        arguments.integer(PARTS, parts).build());
  }

  /** The CTAs that share a row. */
  private int parts(Sizes s) {
    return (int) parts(valueDim, Formula.of((double) s.queries() * Math.ceilDiv(s.heads(), rows()) * s.batch()))
        .value();
  }

  /** @param ctas of the launch where no row is shared */
  private static Formula parts(int valueDim, Formula ctas) {
    if (!divides(valueDim)) return Formula.of(1);
    int parts = valueDim / PART_COLUMNS;
    return ctas.atMost(Formula.of(MOST_CTAS / parts), Formula.of(parts), Formula.of(1));
  }

  private boolean divides() {
    return divides(valueDim);
  }

  private static boolean divides(int valueDim) {
    return valueDim > WIDE_COLUMNS && valueDim % PART_COLUMNS == 0;
  }

  @Override
  public String name() {
    return "merge_states_" + (partial == ElementType.F32 ? "" : partial.text() + "_") + output.text() + "_d" + valueDim
        + (apart ? "_apart" : "") + (warps == WARPS ? "" : "_few") + (balanced ? "_balanced" : "");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(WARPS * Warp.SIZE);
    // So that many rows wait for memory at once; with less registers, others spill.
    boolean wide = valueDim > WIDE_COLUMNS && !divides();
    if (wide || !apart) k.blocksPerMultiprocessor(wide ? 2 : 4);
    var lane = thread.modulo(Warp.SIZE);
    var warp = thread.dividedBy(Warp.SIZE);
    var head = warps == WARPS ? k.blockY() : k.blockY().times(rows()).plus(warp);
    var parts = divides() ? k.constant(0).parameter(PARTS) : k.constant(1);
    var part = k.blockX().modulo(parts);
    var ofO = k.global(PartialStates.specO(partial).fixed("Dv", valueDim));
    var ofRows = PartialStates.specs(apart).stream().map(k::global).toList();
    var given = new PartialRow(k, k.blockX().dividedBy(parts), head, k.blockZ(), ofO, ofRows.getFirst(),
        apart ? Optional.of(ofRows.getLast()) : Optional.empty(),
        sinks ? Optional.of(k.global(AttentionSpecs.sinks())) : Optional.empty(),
        Optional.empty());
    var shares = balanced ? Optional.of(BalancedSplits.atLaunch(k)) : Optional.<BalancedSplits>empty();
    var o = k.global(new AttentionSpecs(output).o());
    var stored = StoredTotals.of(k, AttentionSpecs.statistics(statistics));
    k.leave(given.exists().not());
    if (k.target().capability() >= Target.SM90A.capability()) DependentLaunch.awaitPrevious(k);
    var row = shares.map(of -> given.in(of.states(k.blockZ()).settled())).orElse(given);
    row.split().ifPresent(states -> k.leave(states.exist().not()));

    var total = row.total(lane, new ThreadGroup(k, thread, WARPS * Warp.SIZE, Warp.SIZE));
    if (divides()) {
      k.loop(part, k.constant(valueDim / PART_COLUMNS), parts,
          number -> store(k, thread, number.times(Warp.SIZE), row, total, o));
    } else {
      store(k, thread, k.constant(0), row, total, o);
    }
    // The result may be where a state was.
    if (warps == 1) k.warpBarrier();
    var first = (warps == WARPS ? thread : lane).plus(part).equalTo(0);
    if (stored.any()) {
      k.when(first, () -> stored.at(tensor -> tensor.at(row.query(), row.head(), row.batch())).store(total.ofRow()));
    }
  }

  /** Stores a row's columns from a vector on, or a part of them. */
  private void store(Scope k, I32 thread, I32 firstVector, PartialRow row, PartialRow.Total total, GlobalTensor o) {
    if (warps == WARPS) {
      storeOfAll(k, thread, firstVector, row, total, o);
    } else {
      forVectors(k, thread.modulo(Warp.SIZE), vector -> row.sum(k.constant(0), 1, vector.plus(firstVector), total),
          (vector, sum) -> o.at(row.query(), vector.plus(firstVector).times(WIDTH), row.head(), row.batch())
              .store(sum));
    }
  }

  /** Stores the sum of all warps' sums over their states. */
  private void storeOfAll(Scope k, I32 thread, I32 firstVector, PartialRow row, PartialRow.Total total,
      GlobalTensor o) {
    var sums = k.shared(ElementType.F32, Layout.columnMajor(WIDTH, vectors(), WARPS));
    var zero = k.constant(0);
    var warp = thread.dividedBy(Warp.SIZE);
    forVectors(k, thread.modulo(Warp.SIZE), vector -> row.sum(warp, WARPS, vector.plus(firstVector), total),
        (vector, sum) -> sums.at(zero, vector, warp).store(sum));
    k.barrier();
    k.when(thread.lessThan(vectors()), () -> {
      var all = Stream.generate(() -> k.constant(0f)).limit(WIDTH).toList();
      for (int w = 0; w < WARPS; w++) all = plus(all, sums.at(zero, thread, k.constant(w)).load(WIDTH));
      o.at(row.query(), thread.plus(firstVector).times(WIDTH), row.head(), row.batch()).store(all);
    });
    if (divides()) k.barrier();
  }

  /** Computes a lane's vectors of a part of a row, and stores those that the part has. */
  private void forVectors(Scope k, I32 lane, Function<I32, List<F32>> sum, BiConsumer<I32, List<F32>> store) {
    for (int first = 0; first < vectors(); first += Warp.SIZE) {
      var vector = lane.plus(first);
      var values = sum.apply(vector);
      k.when(vector.lessThan(vectors()), () -> store.accept(vector, values));
    }
  }

  /** Rows of a CTA: heads of a query. */
  private int rows() {
    return WARPS / warps;
  }

  /** Vectors of a part. */
  private int vectors() {
    return (divides() ? PART_COLUMNS : valueDim) / WIDTH;
  }

  private static List<F32> plus(List<F32> a, List<F32> b) {
    var sum = new ArrayList<F32>();
    for (int i = 0; i < a.size(); i++) sum.add(a.get(i).plus(b.get(i)));
    return sum;
  }
}
