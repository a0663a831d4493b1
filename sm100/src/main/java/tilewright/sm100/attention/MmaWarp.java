package tilewright.sm100.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.BlockVisits;
import tilewright.sm100.atom.TensorCommit;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.collective.Signals;

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
  private final AttentionSignals signals;
  private final AttentionProducts products;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final List<Signals.Waiter> qFull;
  private final List<Signals.Waiter> pFull;
  private final List<Signals.Waiter> pRestFull;
  private final List<Signals.Waiter> pEmpty;

  MmaWarp(Scope k, AttentionWork work, AttentionSignals signals, AttentionProducts products) {
    this.k = k;
    this.config = work.config();
    this.work = work;
    this.signals = signals;
    this.products = products;
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
    var visits = work.blocks(tile);
    var count = visits.count().settled();
    // 1. S = Q·Kᵀ of the first block, for both tiles.
    keys.awaitFull();
    products.takeKeys(keys.stage());
    for (int i = 0; i < TILES; i++) {
      qFull.get(i).await();
      products.takeQueries(k.constant(i));
      computeScores(i, part(visits, k.constant(0)));
    }
    release(keys);
    // 2. O += P·V of a block and S of the next, the two tiles alternating.
    k.loop(k.constant(1), count, 1, place -> {
      var before = part(visits, place.plus(-1));
      var next = part(visits, place);
      values.awaitFull();
      products.takeValues(values.stage());
      accumulate(0, before, k.constant(1).lessThan(place));
      keys.awaitFull();
      awaitProduct(0);
      products.takeKeys(keys.stage());
      computeScores(0, next);
      accumulate(1, before, k.constant(1).lessThan(place));
      release(values);
      awaitProduct(1);
      computeScores(1, next);
      release(keys);
    });
    commit(signals.qEmpty().of(k.constant(0)));
    // 3. O += P·V of the last block.
    values.awaitFull();
    products.takeValues(values.stage());
    var last = part(visits, count.plus(-1));
    for (int i = 0; i < TILES; i++) {
      accumulate(i, last, k.constant(1).lessThan(count));
      commit(signals.oFull().of(k.constant(i)));
    }
    release(values);
    // The next tile's first S takes P's place, too. The last multiplication is over after all others.
    awaitProduct(TILES - 1);
  }

  /** The number of a visited block among those that share scales. */
  private I32 part(BlockVisits visits, I32 place) {
    int parts = config.blocksPerScales();
    return parts == 1 ? k.constant(0) : visits.block().apply(place).modulo(parts).settled();
  }

  /** Issues S = Q·Kᵀ of a tile. */
  private void computeScores(int tile, I32 part) {
    var which = k.constant(tile);
    products.multiplyKeys(which, keys.stage(), part);
    commit(signals.sFull().of(which));
  }

  /** Issues O += P·V of a tile, or O = P·V for its first block. */
  private void accumulate(int tile, I32 part, Pred more) {
    var which = k.constant(tile);
    pFull.get(tile).await();
    TensorFence.afterSync(k);
    products.multiplyValues(which, values.stage(), part, more, () -> {
      pRestFull.get(tile).await();
      TensorFence.afterSync(k);
    });
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
