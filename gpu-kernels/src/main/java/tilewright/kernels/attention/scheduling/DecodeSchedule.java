package tilewright.kernels.attention.scheduling;

import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The schedule of {@link BalancedSplits}, from the numbers of keys on the device. One CTA adds the costs of entries:
 * each thread those of a few, and then the sums of threads before it.
 *
 * <p>Where entries are almost of one length, all get the cost of the longest, so that shares end where entries do:
 * then none is split, or all are split evenly.
 *
 * @param band which keys are seen, by distance
 * @param keys of a block
 * @param lengths whether the launch reads how many keys an entry has; {@code padding} how many rows are before them
 */
record DecodeSchedule(Band band, int keys, boolean lengths, boolean padding) implements Kernel {
  /** The argument with the queries of an entry. */
  static final String QUERIES = "queries";
  /** The argument with the keys that an entry has room for. */
  static final String ROOM = "room";
  /** The argument with the number of workers. */
  static final String WORKERS = "workers";
  private static final int WARPS = 8;
  private static final int THREADS = WARPS * Warp.SIZE;
  private static final int MOST = GlobalTensor.MAX_EXTENT;
  /** The part of a share by which shares of whole entries may be longer, which splitting costs, too. */
  private static final int WORTH = 8;

  @Override
  public String name() {
    return "attention_schedule_" + keys;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    if (k.target().capability() >= Target.SM90.capability()) DependentLaunch.allowNext(k);
    var schedule = k.global(BalancedSplits.spec());
    var entries = schedule.extent(0).plus(-BalancedSplits.BESIDES);
    var used = lengths ? Optional.of(k.global(AttentionSpecs.keyLengths())) : Optional.<GlobalTensor>empty();
    var before = padding ? Optional.of(k.global(AttentionSpecs.keyPadding())) : Optional.<GlobalTensor>empty();
    Function<I32, I32> cost = entry -> cost(k, used, before, entry);
    var each = entries.ceilDiv(THREADS);
    var first = thread.times(each).min(entries).settled();
    var end = first.plus(each).min(entries).settled();
    // 1. The sum and the largest of the threads' own costs, then of each warp's.
    var sums = k.shared(ElementType.I32, Layout.columnMajor(Warp.SIZE, WARPS));
    var most = k.shared(ElementType.I32, Layout.columnMajor(Warp.SIZE, WARPS));
    var sumsOfWarps = k.shared(ElementType.I32, Layout.columnMajor(WARPS));
    var mostOfWarps = k.shared(ElementType.I32, Layout.columnMajor(WARPS));
    var lane = thread.modulo(Warp.SIZE);
    var warp = thread.dividedBy(Warp.SIZE);
    var sum = k.variable(k.constant(0), MOST);
    var longest = k.variable(k.constant(0), MOST);
    k.loop(first, end, 1, entry -> {
      var here = cost.apply(entry).settled();
      sum.set(sum.value().plus(here));
      longest.set(longest.value().max(here));
    });
    sums.at(lane, warp).store(sum.value());
    most.at(lane, warp).store(longest.value());
    k.barrier();
    k.when(lane.lessThan(1), () -> {
      sumsOfWarps.at(warp).store(fold(k, k.constant(Warp.SIZE), i -> at(sums, i, warp), I32::plus));
      mostOfWarps.at(warp).store(fold(k, k.constant(Warp.SIZE), i -> at(most, i, warp), I32::max));
    });
    k.barrier();
    // 2. The cost of a share: of whole entries or even parts of them, if that is not much more than of equal shares.
    var total = fold(k, k.constant(WARPS), i -> at(sumsOfWarps, i), I32::plus);
    var largest = fold(k, k.constant(WARPS), i -> at(mostOfWarps, i), I32::max);
    var workers = k.constant(0).parameter(WORKERS);
    var equal = total.plus(workers).plus(-1).dividedBy(workers).max(BalancedSplits.LEAST).settled();
    var parts = workers.dividedBy(entries.max(1)).settled();
    var together = entries.plus(workers).plus(-1).dividedBy(workers);
    var even = largest.plus(parts).plus(-1).dividedBy(parts.max(1))
        .where(parts.atLeast(1), largest.times(together)).max(BalancedSplits.LEAST).settled();
    var aligned = equal.plus(equal.dividedBy(WORTH)).lessThan(even).not();
    var share = even.where(aligned, equal).settled();
    var padded = even.times(parts).max(largest).settled();
    // 3. The costs before the thread's first entry, and from there on before each.
    var running = k.variable(fold(k, lane, i -> at(sums, i, warp), I32::plus)
        .plus(fold(k, warp, i -> at(sumsOfWarps, i), I32::plus)), MOST);
    k.loop(first, end, 1, entry -> {
      schedule.at(entry).store(entry.times(padded).where(aligned, running.value()));
      running.set(running.value().plus(cost.apply(entry)));
    });
    k.when(thread.equalTo(THREADS - 1), () -> {
      schedule.at(entries).store(entries.times(padded).where(aligned, running.value()));
      schedule.at(entries.plus(1)).store(share);
    });
  }

  private static I32 at(SharedTensor numbers, I32... place) {
    return numbers.at(place).loadInteger(MOST);
  }

  private static I32 fold(Scope k, I32 count, Function<I32, I32> number, BinaryOperator<I32> by) {
    var result = k.variable(k.constant(0), MOST);
    k.loop(count, i -> result.set(by.apply(result.value(), number.apply(i))));
    return result.value().settled();
  }

  private I32 cost(Scope k, Optional<GlobalTensor> used, Optional<GlobalTensor> before, I32 entry) {
    var zero = k.constant(0);
    var room = zero.parameter(ROOM);
    var queries = zero.parameter(QUERIES);
    var sequence = used.map(of -> SeqlenInfo.used(queries, zero, room, of, before, entry))
        .orElseGet(() -> SeqlenInfo.fixed(queries, room));
    return BalancedSplits.cost(BalancedSplits.blocks(band, sequence, keys));
  }
}
