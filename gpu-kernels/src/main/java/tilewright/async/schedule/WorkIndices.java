package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.TraceException;

/** The numbers of the tiles that come to a CTA, in their order; what a number stands for is the scheduler's business. */
public interface WorkIndices {

  /** Goes through the numbers in one thread, or in all threads alike. */
  void forEach(Consumer<I32> body);

  /**
   * Goes through them in a warp whose lanes need them together.
   *
   * @param first true for the warp's first lane
   */
  default void forEachOfWarp(Pred first, Consumer<I32> body) {
    forEach(body);
  }

  /**
   * The numbers of one warpgroup of several that alternate.
   *
   * @throws TraceException where numbers are not known beforehand
   */
  default WorkIndices of(OrderedSequence.Turn turn) {
    if (turn.round() > 1) throw new TraceException("warpgroups cannot alternate at tiles that are found on the way");
    return this;
  }

  /** Finds further numbers, in the one thread of a CTA that has no other role. Most need no such thread. */
  default void schedule() {}
}
