package tilewright.sm100.attention;

import java.util.function.IntFunction;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.collective.Signals;

/**
 * Barriers between the roles, for each tile of queries; each name says what is full or empty.
 *
 * @param qFull Q is in shared memory: load → MMA
 * @param qEmpty all multiplications of both tiles' Q are over: MMA → load
 * @param kv the ring of K and V: load → MMA
 * @param sFull S is in Tensor Memory: MMA → softmax
 * @param pFull most of P is in S's place, and O may be added to: softmax and correction → MMA
 * @param pRestFull the last of P is in place: softmax → MMA
 * @param pEmpty O += P·V is over, so that the next S may take P's place: MMA → MMA
 * @param oFull O is complete: MMA → correction
 * @param statsFull a statistic of each row is in shared memory: softmax → correction
 * @param statsEmpty it has been read: correction → softmax
 * @param stagingFull O is in shared memory: correction → store
 * @param stagingEmpty it has been read: store → correction
 */
record AttentionSignals(Signals qFull, Signals qEmpty, Pipeline kv, Signals sFull, Signals pFull, Signals pRestFull,
    Signals pEmpty, Signals oFull, Signals statsFull, Signals statsEmpty, Signals stagingFull, Signals stagingEmpty) {
  private static final int WARPS = 4;

  /** Reserves the barriers and has one thread initialise them; a barrier for all threads follows. */
  static AttentionSignals of(Scope k, int stages, Pred first) {
    IntFunction<Signals> each = arrivals -> Signals.unpublished(k, Sm100AttentionConfig.TILES, first, arrivals);
    var signals = new AttentionSignals(each.apply(1), Signals.unpublished(k, 1, first, 1),
        Pipeline.ring(k, stages, first, 1, 1), each.apply(1), each.apply(2 * WARPS), each.apply(WARPS), each.apply(1),
        each.apply(1), each.apply(WARPS), each.apply(WARPS), each.apply(WARPS), each.apply(1));
    k.when(first, () -> Mbarrier.publish(k));
    return signals;
  }
}
