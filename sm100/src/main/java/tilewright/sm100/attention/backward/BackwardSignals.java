package tilewright.sm100.attention.backward;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.collective.Signals;

/**
 * Barriers between the roles; each name says what is full or empty. Of a pair, the MMA warp is that of the first CTA:
 * it signals both CTAs, and waits for both at its own barriers.
 *
 * @param kFull K is in shared memory: load → MMA; likewise {@code vFull}, with K as operand B of a pair's dQ
 * @param statistics the ring of rows' statistics, whose reuse the rings of Q order: load → compute
 * @param q the ring of tiles of Q: load → MMA; likewise {@code dO}
 * @param qColumns the ring of tiles of Q as operand B of dK, which for one CTA is {@code q}; likewise {@code dOColumns}
 * @param sFull Sᵀ is in Tensor Memory: MMA → compute
 * @param pFull P is in its place: compute → MMA
 * @param pEmpty dV += Pᵀ·dO is over, so that the next Sᵀ may take P's place: MMA → MMA
 * @param dPFull dPᵀ is in Tensor Memory, and one CTA has read the last dS in shared memory: MMA → compute
 * @param dSFull dS is in its place in Tensor Memory and in shared memory: compute → MMA, relay
 * @param dSEmpty dK += dSᵀ·Q is over, so that dQ, the next Sᵀ or dPᵀ may take dS's place: MMA → MMA
 * @param dQFull dQ is in Tensor Memory: MMA → reduce; a pair has read the last dS in shared memory: MMA → compute
 * @param dQEmpty it has been read, so that the next dPᵀ, or Sᵀ of a pair, may take its place: reduce → MMA
 * @param complete dK and dV are complete: MMA → compute
 * @param pair those of a pair alone
 */
record BackwardSignals(Signals kFull, Signals vFull, Pipeline statistics, Pipeline q, Pipeline qColumns, Pipeline dO,
    Pipeline dOColumns, Signals sFull, Signals pFull, Signals pEmpty, Signals dPFull, Signals dSFull, Signals dSEmpty,
    Signals dQFull, Signals dQEmpty, Signals complete, Optional<OfPair> pair) {
  private static final int WARPS = 4;
  private static final int COMPUTE = Sm100BackwardConfig.HALVES * WARPS;

  /**
   * Barriers that only pairs need.
   *
   * @param dSReceived the other CTA's half of dS is in shared memory: compute → MMA, relay
   * @param relayedFull {@code dSFull} of the second CTA: relay → MMA; likewise {@code relayedReceived}
   */
  record OfPair(Signals dSReceived, Signals relayedFull, Signals relayedReceived) {}

  /** Reserves the barriers and has one thread initialise them; a barrier for all threads of the cluster follows. */
  static BackwardSignals of(Scope k, Sm100BackwardConfig.Shape shape, Pred first) {
    boolean paired = shape.paired();
    var q = Pipeline.ring(k, shape.stagesQ(), first, 1, 1);
    var dO = Pipeline.ring(k, shape.stagesO(), first, 1, 1);
    int ctas = shape.ctas();
    var all = new ArrayList<>(List.of(1, 1, 1, ctas * COMPUTE, 1, 1, COMPUTE, 1, 1, ctas * WARPS, 1));
    if (paired) all.addAll(List.of(1, 1, 1));
    var each = Signals.unpublished(k, first, all);
    var signals = new BackwardSignals(each.only(0), each.only(1),
        Pipeline.ring(k, shape.stagesOfStatistics(), first, 1, 0),
        q, paired ? Pipeline.ring(k, shape.stagesQ(), first, 1, 1) : q,
        dO, paired ? Pipeline.ring(k, shape.stagesO(), first, 1, 1) : dO,
        each.only(2), each.only(3), each.only(4), each.only(5), each.only(6), each.only(7), each.only(8), each.only(9),
        each.only(10),
        paired ? Optional.of(new OfPair(each.only(11), each.only(12), each.only(13))) : Optional.empty());
    k.when(first, () -> Mbarrier.publish(k));
    return signals;
  }
}
