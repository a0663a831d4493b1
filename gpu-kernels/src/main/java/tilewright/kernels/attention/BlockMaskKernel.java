package tilewright.kernels.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.BlockContents;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.Modification;

/**
 * Sorts blocks of keys by what a mask shows of them: for each tile of queries, which are seen in part and which whole.
 * The mask is the same lambda that the attention kernel applies to blocks seen in part, or the user's lists.
 *
 * @param modification whose mask it is
 * @param lengths whose extents are the numbers of queries and keys; nothing of it is read
 */
record BlockMaskKernel(Modification modification, TensorSpec lengths, int tileM, int tileN) implements Kernel {
  @Override
  public String name() {
    return "attention_block_mask";
  }

  @Override
  public void trace(Scope s) {
    var thread = s.block(BlockContents.THREADS);
    var zero = s.constant(0);
    var queries = s.global(lengths).extent(0);
    var keys = s.global(lengths).extent(1);
    var lists = s.global(BlockLists.counts());
    s.leave(lists.extent(2).times(lists.extent(3)).lessThan(1));
    var counts = lists.from(zero, s.blockX(), s.blockY(), s.blockZ());
    var partial = s.global(BlockLists.list("partialBlocks")).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var full = s.global(BlockLists.list("fullBlocks")).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var contents = new BlockContents(s, thread, modification, queries, keys, tileM, tileN);
    var partials = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var fulls = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var firstQuery = s.blockX().times(tileM);
    var blocks = keys.ceilDiv(tileN);
    s.loop(blocks, i -> {
      var n = blocks.plus(-1).minus(i);
      contents.look(s.blockZ(), s.blockY(), firstQuery, n);
      s.when(thread.equalTo(0).and(contents.someSeen()), () -> s.when(contents.allSeen(),
          () -> BlockContents.append(full, fulls, n), () -> BlockContents.append(partial, partials, n)));
    });
    s.when(thread.equalTo(0), () -> {
      counts.at(zero, zero, zero, zero).store(partials.value());
      counts.at(s.constant(1), zero, zero, zero).store(fulls.value());
    });
  }
}
