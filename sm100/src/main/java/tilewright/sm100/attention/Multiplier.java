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
 * The thread that multiplies: S = Q·Kᵀ of both tiles, then block by block O += P·V and the next S of one tile while the
 * other's softmax is computed. The signal of an S comes when all that was issued before is over, the O before it too.
 */
final class Multiplier {
  private static final int TILES = Sm100AttentionConfig.TILES;

  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionWork work;
  private final AttentionMemory memory;
  private final AttentionSignals signals;
  private final SharedTensor q;
  private final SharedTensor key;
  private final SharedTensor value;
  private final TiledUmma scoring;
  private final TensorMemoryUmma weighing;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final List<Signals.Waiter> queries;
  private final List<Signals.Waiter> weighed;
  private final List<Signals.Waiter> weighedRest;
  private final List<Signals.Waiter> mixed;

  Multiplier(Scope k, AttentionWork work, AttentionMemory memory, AttentionSignals signals, SharedTensor q,
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
    scoring = TiledUmma.of(UmmaAtom.of(config.type(), rows, shape.keys(), 1), config.layoutQ(), config.layoutK());
    weighing = TensorMemoryUmma.of(UmmaAtom.of(config.type(), rows, shape.valueDim(), 1), config.layoutV());
    keys = signals.blocks().consumer();
    values = signals.blocks().consumer();
    values.advance();
    queries = waiters(signals.queries());
    weighed = waiters(signals.weighed());
    mixed = waiters(signals.mixed());
    weighedRest = waiters(signals.weighedRest());
  }

  private List<Signals.Waiter> waiters(Signals of) {
    return IntStream.range(0, TILES).mapToObj(i -> of.waiter(k.constant(i))).toList();
  }

  void multiply(Tile tile) {
    var count = work.blocks(tile).count().settled();
    keys.awaitFull();
    for (int i = 0; i < TILES; i++) {
      queries.get(i).await();
      score(i);
    }
    release(keys);
    k.loop(k.constant(1), count, 1, place -> {
      values.awaitFull();
      weigh(0, k.constant(1).lessThan(place));
      keys.awaitFull();
      awaitProduct(0);
      score(0);
      weigh(1, k.constant(1).lessThan(place));
      release(values);
      awaitProduct(1);
      score(1);
      release(keys);
    });
    commit(signals.asked().of(k.constant(0)));
    values.awaitFull();
    for (int i = 0; i < TILES; i++) {
      weigh(i, k.constant(1).lessThan(count));
      commit(signals.summed().of(k.constant(i)));
    }
    release(values);
    // The next tile's first S takes P's place too; the last product is over after all others.
    awaitProduct(TILES - 1);
  }

  /** S = Q·Kᵀ of a tile. */
  private void score(int tile) {
    var which = k.constant(tile);
    scoring.multiply(k, memory.scores(which), q.settled(), which, key.settled(), keys.stage(),
        k.constant(0).equalTo(1));
    commit(signals.scored().of(which));
  }

  /** O += P·V of a tile, or O = P·V where there is no more. */
  private void weigh(int tile, Pred more) {
    var which = k.constant(tile);
    var block = value.settled();
    weighed.get(tile).await();
    TensorFence.afterSync(k);
    weighing.multiply(k, memory.sums(which), memory.weights(which), block, values.stage(), 0, config.early(), more);
    weighedRest.get(tile).await();
    TensorFence.afterSync(k);
    weighing.multiply(k, memory.sums(which), memory.weights(which), block, values.stage(), config.early(),
        config.shape().keys(), k.constant(0).equalTo(0));
  }

  /**
   * Waits until a tile's P has been multiplied, since S takes its place. The PTX ISA orders multiplications of one
   * thread only where they have the same accumulator and shape; published kernels trust the hardware to order these.
   */
  private void awaitProduct(int tile) {
    commit(signals.mixed().of(k.constant(tile)));
    mixed.get(tile).await();
    TensorFence.afterSync(k);
  }

  /** Gives a block's place back when all that was issued is done, and goes on to the block after the next. */
  private void release(Pipeline.Cursor block) {
    commit(block.empty());
    block.advance();
    block.advance();
  }

  private void commit(Mbarrier barrier) {
    TensorCommit.arrive(k, 1, barrier);
  }
}
