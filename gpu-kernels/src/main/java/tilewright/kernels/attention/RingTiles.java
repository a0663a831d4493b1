package tilewright.kernels.attention;

import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.collective.attention.BlockOrder;

/**
 * Chunks of K and V that go through one ring of slots, while Q stays: the copies of a chunk start as many steps ahead
 * as there are other slots.
 */
final class RingTiles extends KeyValueTiles {
  private final int slots;
  private final int ofKeys;
  private final int ofValues;
  private final I32.Variable slot;

  /** @param slots at least two, of which one chunk has each */
  RingTiles(Copies copies, int slots) {
    super(copies);
    this.slots = slots;
    var tiling = copies.variant().tiling();
    ofKeys = tiling.chunks();
    ofValues = tiling.valueChunks() * tiling.keyChunks();
    slot = copies.scope().variable(copies.scope().constant(0), slots - 1);
  }

  @Override
  void begin(BlockOrder blocks, Runnable holdQueries) {
    for (int i = 0; i < ofKeys; i++) copies.queries(i, i);
    for (int ahead = 0; ahead < slots - 1; ahead++) {
      copy(ahead, blocks.begin(), copies.scope().constant(ahead), false);
      CpAsync.commit(copies.scope());
    }
  }

  @Override
  void visit(I32 n, boolean whole, I32 next, Pred more, Consumer<Step> compute) {
    var k = copies.scope();
    int chunks = ofKeys + ofValues;
    for (int i = 0; i < chunks; i++) {
      // The chunk has landed, and nobody reads the one before it any more.
      CpAsync.waitFor(k, slots - 2);
      k.barrier();
      var here = slot.value();
      int following = i + slots - 1;
      if (following < chunks) copy(following, n, before(here), whole);
      else k.when(more, () -> copy(following - chunks, next, before(here), true));
      // A group for each step, even an empty one, so that waits count steps.
      CpAsync.commit(k);
      boolean scores = i < ofKeys;
      int chunk = scores ? i : i - ofKeys;
      compute.accept(new Step(scores, chunk, i + 1 == ofKeys || i + 1 == chunks, here,
          k.constant(scores ? chunk : 0)));
      slot.set(here.plus(1).modulo(slots));
    }
  }

  private void copy(int chunk, I32 block, I32 slot, boolean covered) {
    if (chunk < ofKeys) copies.keys(block, chunk, slot, covered);
    else copies.values(block, chunk - ofKeys, slot, covered);
  }

  /** The slot of the chunk before, which is free again. */
  private I32 before(I32 slot) {
    return slot.plus(slots - 1).modulo(slots);
  }
}
