package tilewright.sm90.attention.backward;

import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.kernels.attention.backward.QueryTiles;

/**
 * The order of additions to dQ, kept by two threads beside the producer: one waits for the block's turn at each tile,
 * one passes the turn on when the warpgroups have added. So warpgroups wait neither for the semaphore to be read nor
 * for their additions to arrive in memory.
 *
 * @param turns filled when it is the block's turn at the next tile, free when that turn is passed on
 * @param additions filled when all warps of the warpgroups have added
 */
record AdditionOrder(Scope k, Sm90BackwardConfig config, QueryTiles slots, Pipeline turns, Pipeline additions) {

  /** @param first true for the thread that initialises barriers; it publishes them, and a barrier for all follows */
  static AdditionOrder of(Scope k, Sm90BackwardConfig config, QueryTiles slots, Pred first) {
    int adding = config.shape().consumers() * Warpgroup.SIZE / Warp.SIZE;
    return new AdditionOrder(k, config, slots, Pipeline.ring(k, config.shape().stages(), first, 1, 1),
        Pipeline.ring(k, config.shape().stages(), first, adding, 0));
  }

  /** The producer's warpgroup: two threads of warps of their own. */
  void run(KeyBlock block, I32 lane) {
    k.when(lane.equalTo(Warp.SIZE), () -> awaitTurns(block),
        () -> k.when(lane.equalTo(2 * Warp.SIZE), () -> passOn(block)));
  }

  private DeterministicOrder.Turns semaphores() {
    return config.order().turns(k);
  }

  private void awaitTurns(KeyBlock block) {
    var turn = turns.producer();
    var walk = block.walk();
    k.loop(block.count(), _ -> {
      var tile = walk.tile();
      semaphores().await(block, tile, slots.slot(tile.batch(), tile.number()));
      turn.awaitEmpty();
      turn.full().arrive();
      turn.advance();
      walk.advance();
    });
  }

  private void passOn(KeyBlock block) {
    var addition = additions.consumer();
    var turn = turns.consumer(addition);
    var walk = block.walk();
    k.loop(block.count(), _ -> {
      var tile = walk.tile();
      addition.awaitFull();
      semaphores().release(tile, slots.slot(tile.batch(), tile.number()));
      turn.empty().arrive();
      addition.advance();
      walk.advance();
    });
  }

  /** A warpgroup's place in the order, which moves with that in the tiles of queries. */
  Adder adder(Pipeline.Cursor queries) {
    return new Adder(turns.consumer(queries), additions.producer(queries));
  }

  /** The additions of a warpgroup, tile by tile. */
  final class Adder {
    private final Pipeline.Cursor turn;
    private final Pipeline.Cursor addition;

    private Adder(Pipeline.Cursor turn, Pipeline.Cursor addition) {
      this.turn = turn;
      this.addition = addition;
    }

    /** Waits until it is the block's turn. */
    void await() {
      turn.awaitFull();
    }

    /** Signals that this warp has added; the warps of a warpgroup arrive at different times. */
    void added(I32 lane) {
      k.warpBarrier();
      k.when(lane.modulo(Warp.SIZE).equalTo(0), () -> addition.full().arrive());
    }
  }
}
