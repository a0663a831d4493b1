package tilewright.sm90.attention;

import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.ByteTranspose;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTiles;

/**
 * The warps that transpose blocks of V: {@code wgmma} reads 8-bit operands along k only, which are the keys of P·V
 * (FlashAttention-3, section 3.3).
 *
 * @param copied blocks as they were copied; {@code transposed} as P·V reads them
 * @param lane of the warp; {@code warp} of those that transpose
 */
record ValueTranspose(Scope k, VisitedBlocks blocks, ByteTranspose transpose, SharedTensor copied,
    Pipeline.Cursor copies, SharedTensor transposed, Pipeline.Cursor values, I32 lane, I32 warp) {

  void run(DynamicTileScheduler.Taker taker, AttentionTiles tiles) {
    k.repeatUntil(() -> {
      var tile = taker.take();
      var exists = taker.exists(tile);
      k.when(exists, () -> {
        // A tile without keys to see has a block all the same.
        var count = blocks.of(tiles.tile(tile)).count().max(1);
        k.loop(count, _ -> nextBlock());
      });
      return exists.not();
    });
  }

  private void nextBlock() {
    copies.awaitFull();
    values.awaitEmpty();
    // Settled: addresses that are kept from block to block would not fit in the warp's registers.
    transpose.apply(k, lane.settled(), warp.settled(), copied, copies.stage(), transposed, values.stage());
    // What was stored is visible to wgmma, and what was loaded may be overwritten by the next copy.
    BulkCopy.publish(k);
    k.warpBarrier();
    k.when(lane.equalTo(0), () -> values.full().arrive());
    values.advance();
    copies.releaseAndAdvance(lane);
  }
}
