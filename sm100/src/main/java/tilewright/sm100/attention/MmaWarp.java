package tilewright.sm100.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.sm100.atom.TensorCommit;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.collective.Signals;
import tilewright.sm100.collective.TensorMemoryUmma;
import tilewright.sm100.collective.TiledUmma;

/**
 * The MMA warp, of which one thread issues all multiplications: S = Q·Kᵀ of both tiles, then block by block O += P·V
 * and the next S of one tile while the other's softmax is computed (FlashAttention-4, figure 2). {@code sFull}
 * completes when everything issued before is over, including the last O += P·V.
 */
final class MmaWarp {
  private static final int TILES = Sm100AttentionConfig.TILES;

  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionWork work;
  private final AttentionMemory memory;
  private final AttentionSignals signals;
  private final SharedTensor q;
  private final SharedTensor key;
  private final SharedTensor value;
  private final TiledUmma qk;
  private final TensorMemoryUmma pv;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final List<Signals.Waiter> qFull;
  private final List<Signals.Waiter> pFull;
  private final List<Signals.Waiter> pRestFull;
  private final List<Signals.Waiter> pEmpty;

  MmaWarp(Scope k, AttentionWork work, AttentionMemory memory, AttentionSignals signals, SharedTensor q,
      SharedTensor key, SharedTensor value) {
    this.k = k;
    this.config = work.config();
    this.work = work;
    this.memory = memory;
    this.signals = signals;
    this.q = q;
    this.key = key;
    this.value = value;
    int rows = Sm100AttentionConfig.ROWS;
    var shape = config.shape();
    qk = TiledUmma.of(UmmaAtom.of(config.type(), rows, shape.keys(), 1), config.layoutQ(), config.layoutK());
    pv = TensorMemoryUmma.of(UmmaAtom.of(config.probabilities(), config.type(), rows, shape.valueDim(), 1),
        config.layoutV());
    keys = signals.kv().consumer();
    values = signals.kv().consumer();
    values.advance();
    qFull = waiters(signals.qFull());
    pFull = waiters(signals.pFull());
    pEmpty = waiters(signals.pEmpty());
    pRestFull = waiters(signals.pRestFull());
  }

  private List<Signals.Waiter> waiters(Signals of) {
    return IntStream.range(0, TILES).mapToObj(i -> of.waiter(k.constant(i))).toList();
  }

  void multiply(Tile tile) {
    var count = work.blocks(tile).count().settled();
    // 1. S = Q·Kᵀ of the first block, for both tiles.
    keys.awaitFull();
    for (int i = 0; i < TILES; i++) {
      qFull.get(i).await();
      computeScores(i);
    }
    release(keys);
    // 2. O += P·V of a block and S of the next, the two tiles alternating.
    k.loop(k.constant(1), count, 1, place -> {
      values.awaitFull();
      accumulate(0, k.constant(1).lessThan(place));
      keys.awaitFull();
      awaitProduct(0);
      computeScores(0);
      accumulate(1, k.constant(1).lessThan(place));
      release(values);
      awaitProduct(1);
      computeScores(1);
      release(keys);
    });
    commit(signals.qEmpty().of(k.constant(0)));
    // 3. O += P·V of the last block.
    values.awaitFull();
    for (int i = 0; i < TILES; i++) {
      accumulate(i, k.constant(1).lessThan(count));
      commit(signals.oFull().of(k.constant(i)));
    }
    release(values);
    // The next tile's first S takes P's place, too. The last multiplication is over after all others.
    awaitProduct(TILES - 1);
  }

  /** Issues S = Q·Kᵀ of a tile. */
  private void computeScores(int tile) {
    var which = k.constant(tile);
    qk.multiply(k, memory.scores(which), q.settled(), which, key.settled(), keys.stage(),
        k.constant(0).equalTo(1));
    commit(signals.sFull().of(which));
  }

  /** Issues O += P·V of a tile, or O = P·V for its first block. */
  private void accumulate(int tile, Pred more) {
    var which = k.constant(tile);
    var block = value.settled();
    pFull.get(tile).await();
    TensorFence.afterSync(k);
    pv.multiply(k, memory.output(which), memory.probabilities(which), block, values.stage(), 0, config.early(), more);
    pRestFull.get(tile).await();
    TensorFence.afterSync(k);
    pv.multiply(k, memory.output(which), memory.probabilities(which), block, values.stage(), config.early(),
        config.shape().keys(), k.constant(0).equalTo(0));
  }

  /**
   * Waits until a tile's P has been multiplied, since S takes its place. The PTX ISA orders multiplications of one
   * thread only where they have the same accumulator and shape; published kernels trust the hardware to order these.
   */
  private void awaitProduct(int tile) {
    commit(signals.pEmpty().of(k.constant(tile)));
    pEmpty.get(tile).await();
    TensorFence.afterSync(k);
  }

  /** Releases a block once everything issued is over, and goes on to the block after the next. */
  private void release(Pipeline.Cursor block) {
    commit(block.empty());
    block.advance();
    block.advance();
  }

  private void commit(Mbarrier barrier) {
    TensorCommit.arrive(k, 1, barrier);
  }
}
