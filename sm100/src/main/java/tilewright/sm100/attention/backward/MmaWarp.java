package tilewright.sm100.attention.backward;

import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.layout.OffsetMap;
import tilewright.sm100.atom.TensorCommit;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.collective.Signals;
import tilewright.sm100.collective.TensorMemoryUmma;
import tilewright.sm100.collective.TiledUmma;

/**
 * The MMA warp, of which one thread issues the five multiplications of each tile of queries: the next tile's Sᵀ goes
 * before dK and dQ, so that its P is computed meanwhile (FlashAttention-4, section 4.1).
 *
 * <p>The PTX ISA orders multiplications of one thread only where they have the same accumulator and shape. Where one
 * writes what an earlier one reads, this thread waits for the earlier one; published kernels trust the hardware there.
 */
final class MmaWarp {
  private final Scope k;
  private final boolean wide;
  private final BackwardMemory memory;
  private final BackwardSignals signals;
  private final SharedTensor key;
  private final SharedTensor value;
  private final SharedTensor keyColumns;
  private final SharedTensor q;
  private final SharedTensor qColumns;
  private final SharedTensor dO;
  private final SharedTensor dOColumns;
  private final SharedTensor dS;
  private final TiledUmma scores;
  private final TiledUmma probabilityGradients;
  private final TiledUmma queryGradients;
  private final TensorMemoryUmma keyGradients;
  private final TensorMemoryUmma valueGradients;
  private final Pipeline.Cursor qOfScores;
  private final Pipeline.Cursor qOfGradients;
  private final Pipeline.Cursor ofOutputs;
  private final Signals.Waiter pFull;
  private final Signals.Waiter pEmpty;
  private final Signals.Waiter dSFull;
  private final Signals.Waiter dSEmpty;
  private final Signals.Waiter dQEmpty;

  MmaWarp(Scope k, BackwardTiles tiles, BackwardMemory memory, BackwardSignals signals) {
    this.k = k;
    this.memory = memory;
    this.signals = signals;
    var config = tiles.config();
    wide = config.shape().wide();
    key = tiles.key().shared();
    keyColumns = key.as(config.partsOfK());
    value = transposed(config, tiles.value().shared());
    q = tiles.q().shared();
    qColumns = transposed(config, q);
    dO = tiles.dO().shared();
    dOColumns = transposed(config, dO);
    dS = transposed(config, tiles.dS());
    int keys = Sm100BackwardConfig.KEYS;
    int queries = Sm100BackwardConfig.QUERIES;
    var shape = config.shape();
    scores = TiledUmma.of(UmmaAtom.of(config.type(), keys, queries, 1), key.layout(), q.layout());
    probabilityGradients = TiledUmma.of(UmmaAtom.of(config.type(), keys, queries, 1), value.layout(), dO.layout());
    queryGradients = TiledUmma.of(UmmaAtom.of(config.type(), queries, shape.columnsOfDQ(), 1), dS.layout(),
        keyColumns.layout());
    keyGradients = TensorMemoryUmma.of(UmmaAtom.of(config.type(), keys, shape.headDim(), 1), qColumns.layout());
    valueGradients = TensorMemoryUmma.of(UmmaAtom.of(config.type(), keys, shape.valueDim(), 1), dOColumns.layout());
    qOfScores = signals.q().consumer();
    qOfGradients = signals.q().consumer();
    ofOutputs = signals.dO().consumer();
    pFull = signals.pFull().waiter();
    pEmpty = signals.pEmpty().waiterButFirst();
    dSFull = signals.dSFull().waiter();
    dSEmpty = signals.dSEmpty().waiter();
    dQEmpty = signals.dQEmpty().waiter();
  }

  private static SharedTensor transposed(Sm100BackwardConfig config, SharedTensor tile) {
    return tile.as(config.transposed(tile.layout()));
  }

  /** Multiplies for so many tiles of queries, at least one. */
  void multiply(I32 count) {
    signals.kFull().waiter().await();
    k.loop(count, i -> {
      var second = k.constant(0).lessThan(i);
      // The next scores come first, so that their P is computed meanwhile, unless dS is in their place.
      if (!wide) computeScores();
      k.when(second, () -> addToKeyGradients(k.constant(1).lessThan(i)));
      if (wide) computeScores();
      k.when(second, this::computeQueryGradients);
      computeProbabilityGradients();
      addToValueGradients(second);
    });
    addToKeyGradients(k.constant(1).lessThan(count));
    commit(signals.complete());
    computeQueryGradients();
  }

  /** Sᵀ = K·Qᵀ, in the place of the last P. */
  private void computeScores() {
    qOfScores.awaitFull();
    pEmpty.await();
    TensorFence.afterSync(k);
    scores.multiply(k, memory.scores(), key.settled(), k.constant(0), q.settled(), qOfScores.stage(),
        Pred.known(k, false));
    commit(signals.sFull());
    qOfScores.advance();
  }

  /** dPᵀ = V·dOᵀ, in the place of the last dQ, and of scores where these are wide. */
  private void computeProbabilityGradients() {
    // The first time, V has to land, too.
    signals.vFull().barrier().await(k.constant(0));
    ofOutputs.awaitFull();
    if (wide) pFull.await();
    TensorFence.afterSync(k);
    probabilityGradients.multiply(k, memory.probabilityGradients(), value.settled(), k.constant(0), dO.settled(),
        ofOutputs.stage(), Pred.known(k, false));
    commit(signals.dPFull());
  }

  /** dV += Pᵀ·dO. */
  private void addToValueGradients(Pred more) {
    if (!wide) pFull.await();
    TensorFence.afterSync(k);
    valueGradients.multiply(k, memory.dV(), BackwardMemory.rounded(memory.scores()), dOColumns.settled(),
        ofOutputs.stage(), more);
    commit(signals.pEmpty());
    commit(ofOutputs.empty());
    ofOutputs.advance();
  }

  /** dK += dSᵀ·Q. */
  private void addToKeyGradients(Pred more) {
    dSFull.await();
    TensorFence.afterSync(k);
    keyGradients.multiply(k, memory.dK(), BackwardMemory.rounded(memory.probabilityGradients()), qColumns.settled(),
        qOfGradients.stage(), more);
    commit(signals.dSEmpty());
    commit(qOfGradients.empty());
    qOfGradients.advance();
    dSEmpty.await();
  }

  /** dQ = dS·K, part by part, in the place of dPᵀ; ends when the last part has been read. */
  private void computeQueryGradients() {
    memory.forEachPartOfDQ(k, part -> {
      TensorFence.afterSync(k);
      queryGradients.multiply(k, memory.dQ(), dS.settled(), k.constant(0), keyColumns.settled(), part,
          Pred.known(k, false));
      commit(signals.dQFull());
      dQEmpty.await();
    });
  }

  private void commit(Signals signal) {
    commit(signal.barrier());
  }

  private void commit(Mbarrier barrier) {
    TensorCommit.arrive(k, 1, barrier);
  }
}
