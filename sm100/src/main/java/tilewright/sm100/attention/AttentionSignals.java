package tilewright.sm100.attention;

import java.util.function.IntFunction;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.collective.Signals;

/**
 * What the roles tell each other, tile by tile of queries.
 *
 * @param queries Q is in shared memory: load → multiply
 * @param asked all of its products are over, of both tiles: multiply → load
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
record AttentionSignals(Signals queries, Signals asked, Pipeline blocks, Signals scored, Signals weighed,
    Signals weighedRest, Signals mixed, Signals summed, Signals factors, Signals taken, Signals staged,
    Signals stored) {
  private static final int WARPS = 4;

  /** Has one thread initialise them; a barrier for all threads follows. */
  static AttentionSignals of(Scope k, int stages, Pred first) {
    IntFunction<Signals> each = arrivals -> Signals.unpublished(k, Sm100AttentionConfig.TILES, first, arrivals);
    var signals = new AttentionSignals(each.apply(1), Signals.unpublished(k, 1, first, 1),
        Pipeline.ring(k, stages, first, 1, 1), each.apply(1), each.apply(2 * WARPS), each.apply(WARPS), each.apply(1),
        each.apply(1), each.apply(WARPS), each.apply(WARPS), each.apply(WARPS), each.apply(1));
    k.when(first, () -> Mbarrier.publish(k));
    return signals;
  }
}
