package tilewright.kernels.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.collective.attention.BlockOrder;

/**
 * Chunks of K and V in slots of shared memory: while a step is computed the next chunk is copied, if it has another
 * slot. With a chunk and a slot each, V is copied while S is computed, and the next K while O is (FlashAttention-2).
 */
final class ChunkedTiles extends KeyValueTiles {
  private final Slots slots;
  private final List<Chunk> chunks;

  /**
   * The slots of shared memory.
   *
   * @param count stages of K, which chunks of K have in turn
   * @param values whether V has a slot of its own, else chunks of V have those of K in turn
   * @param queries whether chunks of Q come with those of K, in stages of their own
   * @param shared whether Q is in K's slots until it is in registers
   */
  record Slots(int count, boolean values, boolean queries, boolean shared) {}

  /** A chunk of K or V, and the slot and the stage of its tensor that it is copied to. */
  private record Chunk(boolean keys, int number, boolean last, int slot, int stage) {}

  ChunkedTiles(Copies copies, Slots slots) {
    super(copies);
    this.slots = slots;
    this.chunks = chunks();
  }

  private List<Chunk> chunks() {
    var all = new ArrayList<Chunk>();
    int keys = copies.variant().tiling().chunks();
    int values = copies.variant().tiling().valueChunks();
    for (int i = 0; i < keys; i++) {
      all.add(new Chunk(true, i, i + 1 == keys, i % slots.count, i % slots.count));
    }
    for (int i = 0; i < values; i++) {
      int slot = (keys + i) % slots.count;
      all.add(new Chunk(false, i, i + 1 == values, slots.values ? slots.count : slot, slots.values ? 0 : slot));
    }
    return all;
  }

  @Override
  void begin(BlockOrder blocks, Runnable holdQueries) {
    if (!slots.queries) copies.queries(0, 0);
    if (!slots.shared) copy(chunks.getFirst(), blocks.begin(), false);
    holdQueries(holdQueries);
    if (!slots.shared) return;
    copies.scope().barrier();
    copy(chunks.getFirst(), blocks.begin(), false);
  }

  @Override
  void visit(I32 n, boolean whole, I32 next, Pred more, Consumer<Step> compute) {
    for (int i = 0; i < chunks.size(); i++) {
      settle();
      var chunk = chunks.get(i);
      var following = chunks.get((i + 1) % chunks.size());
      var step = new Step(chunk.keys, chunk.number, chunk.last, copies.scope().constant(chunk.stage),
          copies.scope().constant(slots.queries ? chunk.stage : 0));
      if (chunk.slot == following.slot) {
        compute.accept(step);
        copies.scope().barrier();
      }
      // Blocks come from the last to the first, and only the last may be short.
      if (i + 1 == chunks.size()) copies.scope().when(more, () -> copy(following, next, true));
      else copy(following, n, whole);
      if (chunk.slot != following.slot) compute.accept(step);
    }
  }

  private void copy(Chunk chunk, I32 block, boolean covered) {
    var stage = copies.scope().constant(chunk.stage);
    var n = block.settled();
    if (chunk.keys) {
      if (slots.queries) copies.queries(chunk.number, chunk.stage);
      copies.keys(n, chunk.number, stage, covered);
    } else {
      copies.values(n, chunk.number, stage, covered);
    }
  }

  @Override
  boolean stagingIsRead() {
    return !copies.variant().tuned() && chunks.getLast().stage == 0
        && chunks.getLast().slot != chunks.getFirst().slot;
  }
}
