package tilewright.sm100.attention.backward;

import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.sm100.collective.Signals;

/**
 * Barriers between the roles; each name says what is full or empty.
 *
 * @param kFull K is in shared memory: load → MMA; likewise {@code vFull}
 * @param q the ring of tiles of Q with their rows' statistics: load → MMA, compute
 * @param dO the ring of tiles of dO: load → MMA
 * @param sFull Sᵀ is in Tensor Memory: MMA → compute
 * @param pFull P is in its place: compute → MMA
 * @param pEmpty dV += Pᵀ·dO is over, so that the next Sᵀ may take P's place: MMA → MMA
 * @param dPFull dPᵀ is in Tensor Memory, and the last dS in shared memory has been read: MMA → compute
 * @param dSFull dS is in its place in Tensor Memory and in shared memory: compute → MMA
 * @param dSEmpty dK += dSᵀ·Q is over, so that dQ may take dS's place: MMA → MMA
 * @param dQFull dQ is in Tensor Memory: MMA → reduce
 * @param dQEmpty it has been read, so that the next dPᵀ may take its place: reduce → MMA
 * @param complete dK and dV are complete: MMA → compute
 */
record BackwardSignals(Signals kFull, Signals vFull, Pipeline q, Pipeline dO, Signals sFull, Signals pFull,
    Signals pEmpty, Signals dPFull, Signals dSFull, Signals dSEmpty, Signals dQFull, Signals dQEmpty,
    Signals complete) {
  private static final int WARPS = 4;

  /** Reserves the barriers and has one thread initialise them; a barrier for all threads follows. */
  static BackwardSignals of(Scope k, Sm100BackwardConfig.Shape shape, Pred first) {
    int compute = Sm100BackwardConfig.HALVES * WARPS;
    var byOne = Signals.unpublished(k, 8, first, 1);
    var byCompute = Signals.unpublished(k, 2, first, compute);
    var signals = new BackwardSignals(byOne.only(0), byOne.only(1), Pipeline.ring(k, shape.stagesQ(), first, 1, 1),
        Pipeline.ring(k, shape.stagesO(), first, 1, 1), byOne.only(2), byCompute.only(0), byOne.only(3), byOne.only(4),
        byCompute.only(1), byOne.only(5), byOne.only(6), Signals.unpublished(k, 1, first, WARPS), byOne.only(7));
    k.when(first, () -> Mbarrier.publish(k));
    return signals;
  }
}
