package tilewright.sm90.attention.backward;

import tilewright.async.collective.Pipeline;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/** The barriers of K and V, which come once, and of the rings of Q and dO, whose stages are released together. */
record BackwardRings(Pipeline keys, Pipeline values, Pipeline queries, Pipeline gradients) {

  /** @param first true for the thread that initialises them; it publishes them, and a barrier for all follows */
  static BackwardRings of(Scope k, Sm90BackwardConfig.Shape shape, Pred first) {
    return new BackwardRings(Pipeline.ring(k, 1, first, 1, 0), Pipeline.ring(k, 1, first, 1, 0),
        Pipeline.ring(k, shape.stages(), first, 1, shape.consumers()),
        Pipeline.ring(k, shape.stages(), first, 1, 0));
  }
}
