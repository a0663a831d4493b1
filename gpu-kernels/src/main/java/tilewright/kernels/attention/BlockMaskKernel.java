package tilewright.kernels.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.Modification;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Sorts blocks of keys by what a mask shows of them: for each tile of queries, which are seen in part and which whole.
 * The mask is the same lambda that the attention kernel applies to blocks seen in part.
 *
 * @param modification whose mask it is
 * @param lengths whose extents are the numbers of queries and keys; nothing of it is read
 */
record BlockMaskKernel(Modification modification, TensorSpec lengths, int tileM, int tileN) implements Kernel {
  private static final int THREADS = 128;

  @Override
  public String name() {
    return "attention_block_mask";
  }

  @Override
  public void trace(Scope s) {
    var thread = s.block(THREADS);
    var zero = s.constant(0);
    var queries = s.global(lengths).extent(0);
    var keys = s.global(lengths).extent(1);
    var lists = s.global(BlockLists.counts());
    s.leave(lists.extent(2).times(lists.extent(3)).lessThan(1));
    var counts = lists.from(zero, s.blockX(), s.blockY(), s.blockZ());
    var partial = s.global(BlockLists.list("partialBlocks")).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var full = s.global(BlockLists.list("fullBlocks")).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var sums = s.shared(ElementType.I32, Layout.columnMajor(2, THREADS / Warp.SIZE));
    var partials = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var fulls = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var firstQuery = s.blockX().times(tileM);
    var blocks = keys.ceilDiv(tileN);
    s.loop(blocks, i -> {
      var n = blocks.plus(-1).minus(i);
      var seen = s.variable(zero, tileM * tileN);
      var hidden = s.variable(zero, tileM * tileN);
      s.loop(thread, s.constant(tileM * tileN), THREADS, element -> {
        var query = firstQuery.plus(element.dividedBy(tileN));
        var key = n.times(tileN).plus(element.modulo(tileN));
        var exists = query.lessThan(queries);
        var visible = key.lessThan(keys)
            .and(modification.visible(s, s.blockZ(), s.blockY(), query, key));
        count(s, seen, exists.and(visible));
        count(s, hidden, exists.and(visible.not()));
      });
      s.barrier();
      leave(s, thread, sums, 0, seen);
      leave(s, thread, sums, 1, hidden);
      s.barrier();
      s.when(thread.equalTo(0).and(total(s, sums, 0).atLeast(1)), () -> s.when(total(s, sums, 1).equalTo(0),
          () -> append(full, fulls, n), () -> append(partial, partials, n)));
    });
    s.when(thread.equalTo(0), () -> {
      counts.at(zero, zero, zero, zero).store(partials.value());
      counts.at(s.constant(1), zero, zero, zero).store(fulls.value());
    });
  }

  private static void count(Scope s, I32.Variable sum, Pred one) {
    sum.set(sum.value().plus(s.constant(1).where(one, 0)));
  }

  /** Each warp leaves its sum. */
  private static void leave(Scope s, I32 thread, SharedTensor sums, int kind, I32.Variable mine) {
    var sum = Shuffle.sum(s, mine.value());
    s.when(thread.modulo(Warp.SIZE).equalTo(0),
        () -> sums.at(s.constant(kind), thread.dividedBy(Warp.SIZE)).store(sum));
  }

  private static I32 total(Scope s, SharedTensor sums, int kind) {
    var total = s.constant(0);
    for (int warp = 0; warp < THREADS / Warp.SIZE; warp++) {
      total = total.plus(sums.at(s.constant(kind), s.constant(warp)).loadInteger(1 << 20));
    }
    return total;
  }

  private static void append(GlobalTensor list, I32.Variable count, I32 n) {
    var zero = n.constant(0);
    list.at(count.value(), zero, zero, zero).store(n);
    count.set(count.value().plus(1));
  }
}
