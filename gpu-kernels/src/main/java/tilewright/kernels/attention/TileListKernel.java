package tilewright.kernels.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.BlockContents;
import tilewright.kernel.collective.attention.Modification;

/**
 * Lists, for each block of keys, the tiles of queries that see some of it. A CTA has a block of one head of keys.
 *
 * @param lengths whose extents are the numbers of queries, keys and heads of queries; nothing of it is read
 */
record TileListKernel(Modification modification, TensorSpec lengths, int tileM, int tileN) implements Kernel {
  @Override
  public String name() {
    return "attention_tile_list";
  }

  @Override
  public void trace(Scope s) {
    var thread = s.block(BlockContents.THREADS);
    var zero = s.constant(0);
    var extents = s.global(lengths);
    var counts = s.global(TileList.counts());
    s.leave(counts.extent(1).times(counts.extent(2)).lessThan(1));
    var list = s.global(TileList.lists()).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var contents = new BlockContents(s, thread, modification, extents.extent(0), extents.extent(1), tileM, tileN);
    var count = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var sharers = extents.extent(2).dividedBy(counts.extent(1));
    s.when(thread.equalTo(0), () -> list.at(zero, zero, zero, zero).store(zero));
    s.loop(sharers, sharer -> s.loop(extents.extent(0).ceilDiv(tileM), tile -> {
      contents.look(s.blockZ(), s.blockY().times(sharers).plus(sharer), tile.times(tileM), s.blockX());
      s.when(thread.equalTo(0).and(contents.someSeen()),
          () -> BlockContents.append(list, count, TileList.entry(tile, sharer)));
    }));
    s.when(thread.equalTo(0), () -> counts.at(s.blockX(), s.blockY(), s.blockZ()).store(count.value()));
  }
}
