package tilewright.kernels.attention.backward;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;

/**
 * A CTA's turns to add to tiles of dQ, where the order is fixed. One thread awaits the turn while the other warps
 * compute the tile's scores. A thread of another warp releases it, behind the first barrier of the next tile, so that
 * no barrier is needed for the order alone.
 */
final class Sm80BackwardTurns {
  private static final int AWAITING_THREAD = 0;
  private static final int RELEASING_THREAD = Warp.SIZE;

  private final Scope k;
  private final I32 thread;
  private final DeterministicOrder.Turns turns;
  private final Sm80BackwardTensors tensors;
  private final KeyBlock block;
  private final KeyBlock.Walk walk;

  /** Creates the turns along a walk, which they advance. */
  Sm80BackwardTurns(Scope k, I32 thread, DeterministicOrder.Turns turns, Sm80BackwardTensors tensors, KeyBlock block,
      KeyBlock.Walk walk) {
    this.k = k;
    this.thread = thread;
    this.turns = turns;
    this.tensors = tensors;
    this.block = block;
    this.walk = walk;
  }

  /**
   * Moves the walk to tile {@code i} and awaits the turn to add to it, behind a barrier that follows the additions to
   * the tile before. A later barrier lets all threads add.
   */
  void begin(I32 i) {
    k.when(i.atLeast(1), () -> {
      release();
      walk.advance();
    });
    var tile = walk.tile();
    k.when(thread.settled().equalTo(AWAITING_THREAD), () -> turns.await(block, tile, tensors.slot(tile)));
  }

  /** Releases the turn of the last tile, if there is one, behind a barrier that follows its additions. */
  void end() {
    k.when(block.count().atLeast(1), this::release);
  }

  private void release() {
    // Outside the branch: ptxas spills registers where it predicates the address too.
    var tile = walk.tile();
    k.when(thread.settled().equalTo(RELEASING_THREAD), () -> turns.release(tile, tensors.slot(tile)));
  }
}
