package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.BlockContents;
import tilewright.kernel.collective.attention.Modification;

/**
 * Lists, for each block of keys, the tiles of queries that see some of it. A CTA has a block of one head of keys.
 *
 * @param modification whose mask it is
 * @param packed whether sequences lie one after the other: lists are in the slots of blocks then
 */
record TileListKernel(Modification modification, Band band, boolean packed, int tileM, int tileN) implements Kernel {
  @Override
  public String name() {
    return "attention_tile_list";
  }

  @Override
  public void trace(Scope s) {
    var thread = s.block(BlockContents.THREADS);
    var zero = s.constant(0);
    var counts = s.global(TileList.counts());
    s.leave(counts.extent(1).times(counts.extent(2)).lessThan(1));
    var list = s.global(TileList.lists()).from(zero, s.blockX(), s.blockY(), s.blockZ());
    var here = ListedTile.of(s, packed ? Optional.of("cuK") : Optional.empty(), tileN);
    var block = here.tile();
    var contents = new BlockContents(s, thread, modification, band, here.sequence(), tileM, tileN);
    var count = s.variable(zero, GlobalTensor.MAX_EXTENT);
    var sharers = s.global(ListedTile.LENGTHS).extent(2).dividedBy(counts.extent(1));
    s.when(thread.equalTo(0), () -> list.at(zero, zero, zero, zero).store(zero));
    s.when(here.exists(), () -> s.loop(sharers, sharer ->
        s.loop(here.sequence().queries().ceilDiv(tileM), tile -> {
          contents.look(block.batch(), block.head().times(sharers).plus(sharer), tile.times(tileM), block.number());
          s.when(thread.equalTo(0).and(contents.someSeen()),
              () -> BlockContents.append(list, count, TileList.entry(tile, sharer)));
        })));
    s.when(thread.equalTo(0), () -> counts.at(s.blockX(), s.blockY(), s.blockZ()).store(count.value()));
  }
}
