package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.BlockContents;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.Modification;

/**
 * Sorts blocks of keys by what a mask and a band show of them: for each tile of queries, which are seen in part and
 * which whole. The mask is the lambda that the attention kernel applies to blocks seen in part, or the user's lists.
 *
 * @param modification whose mask it is
 * @param packed whether sequences lie one after the other: lists are in the slots of tiles then
 */
record BlockMaskKernel(Modification modification, Band band, boolean packed, int tileM, int tileN) implements Kernel {
  @Override
  public String name() {
    return "attention_block_mask";
  }

  @Override
  public void trace(Scope s) {
    var thread = s.block(BlockContents.THREADS);
    var zero = s.constant(0);
    var lists = s.global(BlockLists.counts());
    s.leave(lists.extent(2).times(lists.extent(3)).lessThan(1));
    var counts = lists.from(zero, s.blockX(), s.blockY(), s.blockZ());
    var partial = s.global(BlockLists.list("partialBlocks")).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var full = s.global(BlockLists.list("fullBlocks")).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var here = ListedTile.of(s, packed ? Optional.of("cuQ") : Optional.empty(), tileM);
    var tile = here.tile();
    var contents = new BlockContents(s, thread, modification, band, here.sequence(), tileM, tileN);
    var partials = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var fulls = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var firstQuery = tile.number().times(tileM);
    var blocks = here.sequence().keys().ceilDiv(tileN);
    s.when(here.exists(), () -> s.loop(blocks, i -> {
      var n = blocks.plus(-1).minus(i);
      contents.look(tile.batch(), tile.head(), firstQuery, n);
      s.when(thread.equalTo(0).and(contents.someSeen()), () -> s.when(contents.allSeen(),
          () -> BlockContents.append(full, fulls, n), () -> BlockContents.append(partial, partials, n)));
    }));
    s.when(thread.equalTo(0), () -> {
      counts.at(zero, zero, zero, zero).store(partials.value());
      counts.at(s.constant(1), zero, zero, zero).store(fulls.value());
    });
  }
}
