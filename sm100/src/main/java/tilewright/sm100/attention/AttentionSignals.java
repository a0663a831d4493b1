package tilewright.sm100.attention;

import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.collective.Signals;
import tilewright.sm90.collective.Pipeline;

/**
 * What the roles tell each other, tile by tile of queries.
 *
 * @param queries Q's ring, a stage a tile: load → multiply
 * @param blocks the ring of K and V: load → multiply
 * @param scored S is in Tensor Memory: multiply → softmax
 * @param weighed most of P is in S's place, and O may be added to: softmax and correction → multiply
 * @param weighedRest the last of P is too: softmax → multiply
 * @param mixed O += P·V is over, so that the next S may take P's place: multiply → multiply
 * @param summed O is complete: multiply → correction
 * @param factors a factor a row is in shared memory: softmax → correction
 * @param taken it has been read: correction → softmax
 * @param staged O is in shared memory: correction → store
 * @param stored it has been read: store → correction
 */
record AttentionSignals(Pipeline queries, Pipeline blocks, Signals scored, Signals weighed, Signals weighedRest,
    Signals mixed, Signals summed, Signals factors, Signals taken, Signals staged, Signals stored) {
  private static final int WARPS = 4;

  /** Has one thread initialise them; a barrier for all threads follows. */
  static AttentionSignals of(Scope k, int stages, Pred first) {
    int tiles = Sm100AttentionConfig.TILES;
    return new AttentionSignals(Pipeline.ring(k, tiles, first, 1, 1), Pipeline.ring(k, stages, first, 1, 1),
        Signals.of(k, tiles, first, 1), Signals.of(k, tiles, first, 2 * WARPS), Signals.of(k, tiles, first, WARPS),
        Signals.of(k, tiles, first, 1), Signals.of(k, tiles, first, 1), Signals.of(k, tiles, first, WARPS),
        Signals.of(k, tiles, first, WARPS), Signals.of(k, tiles, first, WARPS), Signals.of(k, tiles, first, 1));
  }
}
