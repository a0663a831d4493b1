package tilewright.kernels.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.BlockContents;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.SeqlenInfo;

/**
 * Counts, for each entry of the lists of tiles, the blocks of keys that add to its tile before: those launched earlier
 * whose lists have the tile, too. A thread has a tile of a head, and looks for it in the lists of all blocks; a CTA has
 * those of one head of keys of a batch entry or packed sequence.
 *
 * @param packed whether sequences lie one after the other: lists are in the slots of blocks then
 * @param descends whether a sequence's last block is launched first
 */
record TileTurnsKernel(boolean packed, int tileM, int tileN, boolean descends) implements Kernel {
  @Override
  public String name() {
    return "attention_tile_turns";
  }

  @Override
  public void trace(Scope s) {
    var zero = s.constant(0);
    var place = s.blockX().times(BlockContents.THREADS).plus(s.block(BlockContents.THREADS));
    var extents = s.global(ListedTile.LENGTHS);
    var counts = s.global(TileList.counts());
    s.leave(counts.extent(1).times(counts.extent(2)).lessThan(1));
    if (packed) s.leave(s.global(AttentionSpecs.lengths("cuQ")).extent(0).lessThan(2));
    var sequence = packed ? SeqlenInfo.packed(s.global(AttentionSpecs.lengths("cuQ")),
        s.global(AttentionSpecs.lengths("cuK")), s.blockZ()) : SeqlenInfo.fixed(extents.extent(0), extents.extent(1));
    var entry = packed ? zero : s.blockZ();
    var first = packed ? PackedTiles.firstSlot(sequence.firstKey(), s.blockZ(), tileN) : zero;
    var tiles = sequence.queries().ceilDiv(tileM);
    var blocks = sequence.keys().ceilDiv(tileN);
    var wanted = TileList.entry(place.modulo(tiles.max(1)), place.dividedBy(tiles.max(1)));
    s.when(place.lessThan(tiles.times(extents.extent(2).dividedBy(counts.extent(1)))), () -> {
      var turn = s.variable(zero, GlobalTensor.MAX_EXTENT);
      s.loop(blocks, i -> {
        var block = first.plus(descends ? blocks.plus(-1).minus(i) : i);
        var list = s.global(TileList.lists()).from(zero, block, s.blockY(), entry);
        var count = counts.at(block, s.blockY(), entry).loadInteger(GlobalTensor.MAX_EXTENT).settled();
        var found = find(s, list, count, wanted);
        s.when(found.lessThan(count).and(at(list, found).equalTo(wanted)), () -> {
          s.global(TileList.turns()).from(zero, block, s.blockY(), entry).at(found, zero, zero, zero)
              .store(turn.value());
          turn.set(turn.value().plus(1));
        });
      });
    });
  }

  /** The first place of a list, which ascends, whose entry is not less. */
  private static I32 find(Scope s, GlobalTensor list, I32 count, I32 wanted) {
    var from = s.variable(s.constant(0), GlobalTensor.MAX_EXTENT);
    var to = s.variable(count, GlobalTensor.MAX_EXTENT);
    s.when(count.atLeast(1), () -> s.repeatUntil(() -> {
      var middle = from.value().plus(to.value()).dividedBy(2).settled();
      s.when(at(list, middle).lessThan(wanted), () -> from.set(middle.plus(1)), () -> to.set(middle));
      return from.value().lessThan(to.value()).not();
    }));
    return from.value().settled();
  }

  /** The entry at a place; any entry where there is none. */
  private static I32 at(GlobalTensor list, I32 place) {
    var zero = place.constant(0);
    return list.at(place.min(list.extent(0).plus(-1)), zero, zero, zero).loadInteger(GlobalTensor.MAX_EXTENT);
  }
}
