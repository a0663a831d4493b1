package tilewright.sm100.attention.backward;

import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.TensorCommit;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.collective.Signals;

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
  private final BackwardGemms gemms;
  private final BackwardMemory memory;
  private final BackwardSignals signals;
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
    this.wide = tiles.config().shape().wide();
    this.gemms = new BackwardGemms(k, tiles, memory);
    this.memory = memory;
    this.signals = signals;
    qOfScores = signals.q().consumer();
    qOfGradients = signals.q().consumer();
    ofOutputs = signals.dO().consumer();
    pFull = signals.pFull().waiter();
    pEmpty = signals.pEmpty().waiterButFirst();
    dSFull = signals.dSFull().waiter();
    dSEmpty = signals.dSEmpty().waiter();
    dQEmpty = signals.dQEmpty().waiter();
  }

  /** Multiplies for {@code count} tiles of queries, at least one. */
  void multiply(I32 count) {
    signals.kFull().waiter().await();
    k.loop(count, i -> {
      var second = k.constant(0).lessThan(i);
      // The next scores come first, so that their P is computed meanwhile, unless dS is in their place.
      if (!wide) computeScores();
      k.when(second, () -> {
        addToKeyGradients(k.constant(1).lessThan(i));
        commit(signals.dSEmpty());
        commit(qOfGradients.empty());
        qOfGradients.advance();
        if (wide) dSEmpty.await();
      });
      if (wide) computeScores();
      k.when(second, this::computeQueryGradients);
      computeProbabilityGradients();
      addToValueGradients(second);
    });
    addToKeyGradients(k.constant(1).lessThan(count));
    // Nothing follows in Q's place, nor in that of dS where this is wide.
    if (!wide) commit(signals.dSEmpty());
    commit(signals.complete());
    computeQueryGradients();
  }

  /** Sᵀ = K·Qᵀ, in the place of the last P. */
  private void computeScores() {
    qOfScores.awaitFull();
    pEmpty.await();
    TensorFence.afterSync(k);
    gemms.computeScores(qOfScores.stage());
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
    gemms.computeProbabilityGradients(ofOutputs.stage());
    commit(signals.dPFull());
  }

  /** dV += Pᵀ·dO. */
  private void addToValueGradients(Pred more) {
    if (!wide) pFull.await();
    TensorFence.afterSync(k);
    gemms.addToValueGradients(ofOutputs.stage(), more);
    commit(signals.pEmpty());
    commit(ofOutputs.empty());
    ofOutputs.advance();
  }

  /** dK += dSᵀ·Q. */
  private void addToKeyGradients(Pred more) {
    dSFull.await();
    TensorFence.afterSync(k);
    gemms.addToKeyGradients(qOfGradients.stage(), more);
  }

  /** dQ = dS·K, part by part, in the place of dPᵀ, or of dS unless this is wide; ends when the last part was read. */
  private void computeQueryGradients() {
    if (!wide) dSEmpty.await();
    memory.forEachPartOfDQ(k, part -> {
      TensorFence.afterSync(k);
      gemms.computeQueryGradients(k.constant(0), part, Pred.known(k, false));
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
