package tilewright.sm100.attention.backward;

import tilewright.async.collective.Pipeline;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.TensorCommit;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.collective.CtaGroups;
import tilewright.sm100.collective.Signals;

/**
 * The MMA warp of a pair's first CTA, of which one thread issues the five multiplications of each tile of queries for
 * both (FlashAttention-4, section 4.2). The next tile's Sᵀ and dPᵀ go before dQ, which waits for the halves of dS that
 * the CTAs send each other; dQ takes the half of Sᵀ that P leaves.
 */
final class PairMmaWarp {
  private final Scope k;
  private final BackwardGemms gemms;
  private final BackwardTiles tiles;
  private final CtaGroups groups;
  private final BackwardSignals signals;
  private final BackwardSignals.OfPair pair;
  private final Pipeline.Cursor q;
  private final Pipeline.Cursor qColumns;
  private final Pipeline.Cursor dO;
  private final Pipeline.Cursor dOColumns;
  private final Signals.Waiter pFull;
  private final Signals.Waiter pEmpty;
  private final Signals.Waiter dSFull;
  private final Signals.Waiter dSEmpty;
  private final Signals.Waiter dSReceived;
  private final Signals.Waiter relayedFull;
  private final Signals.Waiter relayedReceived;
  private final Signals.Waiter dQEmpty;

  PairMmaWarp(Scope k, BackwardTiles tiles, BackwardMemory memory, BackwardSignals signals) {
    this.k = k;
    this.gemms = new BackwardGemms(k, tiles, memory);
    this.tiles = tiles;
    this.groups = tiles.groups();
    this.signals = signals;
    this.pair = signals.pair().orElseThrow();
    q = signals.q().consumer();
    qColumns = signals.qColumns().consumer();
    dO = signals.dO().consumer();
    dOColumns = signals.dOColumns().consumer();
    pFull = signals.pFull().waiter();
    pEmpty = signals.pEmpty().waiterButFirst();
    dSFull = signals.dSFull().waiter();
    dSEmpty = signals.dSEmpty().waiter();
    dSReceived = pair.dSReceived().waiter();
    relayedFull = pair.relayedFull().waiter();
    relayedReceived = pair.relayedReceived().waiter();
    dQEmpty = signals.dQEmpty().waiter();
  }

  /** Multiplies for {@code count} tiles of queries, at least one. */
  void multiply(I32 count) {
    signals.kFull().waiter().await();
    k.loop(count, i -> {
      var second = k.constant(0).lessThan(i);
      var third = k.constant(1).lessThan(i);
      k.when(third, dQEmpty::await);
      computeScores();
      k.when(second, () -> {
        addToKeyGradients(third);
        commit(signals.dSEmpty());
        release(qColumns);
        dSEmpty.await();
      });
      computeProbabilityGradients();
      pFull.await();
      k.when(second, this::computeQueryGradients);
      addToValueGradients(second);
    });
    // Nothing follows in the places of dS and Q's columns.
    addToKeyGradients(k.constant(1).lessThan(count));
    groups.commitToGroup(signals.complete().barrier());
    k.when(k.constant(1).lessThan(count), dQEmpty::await);
    computeQueryGradients();
  }

  /** Sᵀ = K·Qᵀ, in the place of the last P and the last dQ. */
  private void computeScores() {
    q.awaitFull();
    pEmpty.await();
    TensorFence.afterSync(k);
    gemms.computeScores(q.stage());
    groups.commitToGroup(signals.sFull().barrier());
    release(q);
  }

  /** dPᵀ = V·dOᵀ, in the place of the last dS. */
  private void computeProbabilityGradients() {
    // The first time, V has to land, too, and K's columns.
    signals.vFull().barrier().await(k.constant(0));
    dO.awaitFull();
    TensorFence.afterSync(k);
    gemms.computeProbabilityGradients(dO.stage());
    groups.commitToGroup(signals.dPFull().barrier());
    release(dO);
  }

  /** dV += Pᵀ·dO, behind {@code pFull}. */
  private void addToValueGradients(Pred more) {
    dOColumns.awaitFull();
    TensorFence.afterSync(k);
    gemms.addToValueGradients(dOColumns.stage(), more);
    commit(signals.pEmpty());
    release(dOColumns);
  }

  /** dK += dSᵀ·Q. */
  private void addToKeyGradients(Pred more) {
    dSFull.await();
    relayedFull.await();
    qColumns.awaitFull();
    TensorFence.afterSync(k);
    gemms.addToKeyGradients(qColumns.stage(), more);
  }

  /** dQ = dS·K over the keys of both CTAs, in the place of scores that have been read. */
  private void computeQueryGradients() {
    tiles.expectScoreGradients(pair);
    dSReceived.await();
    relayedReceived.acquire();
    TensorFence.afterSync(k);
    for (int cta = 0; cta < groups.ctas(); cta++) {
      gemms.computeQueryGradients(k.constant(cta), k.constant(cta), Pred.known(k, cta > 0));
    }
    groups.commitToGroup(signals.dQFull().barrier());
  }

  private void release(Pipeline.Cursor ring) {
    groups.commitToGroup(ring.empty());
    ring.advance();
  }

  private void commit(Signals signal) {
    TensorCommit.arrive(k, groups.ctas(), signal.barrier());
  }
}
