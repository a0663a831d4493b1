package tilewright.sm100.attention.backward;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.collective.Signals;

/** The MMA warp of a pair's second CTA, of which one thread relays to the first CTA's what its own CTA has of dS. */
final class RelayWarp {
  private final Scope k;
  private final BackwardTiles tiles;
  private final BackwardSignals.OfPair pair;
  private final Signals.Waiter dSFull;
  private final Signals.Waiter dSReceived;

  RelayWarp(Scope k, BackwardTiles tiles, BackwardSignals signals) {
    this.k = k;
    this.tiles = tiles;
    this.pair = signals.pair().orElseThrow();
    dSFull = signals.dSFull().waiter();
    dSReceived = pair.dSReceived().waiter();
  }

  /** Relays for {@code count} tiles of queries. */
  void relay(I32 count) {
    k.loop(count, _ -> {
      dSFull.await();
      TensorFence.afterSync(k);
      TensorFence.beforeSync(k);
      tiles.groups().arriveAtFirst(pair.relayedFull().barrier());
      tiles.expectScoreGradients(pair);
      dSReceived.await();
      // Publishes the half of dS that this CTA's warps have written themselves, too.
      tiles.groups().releaseToFirst(pair.relayedReceived().barrier());
    });
  }
}
