package tilewright.async.schedule;

import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * Every n-th number, where a launch has n workers (a static persistent scheduler).
 *
 * @param first the worker's own number
 * @param count of all numbers
 * @param workers the distance from one number to the next
 */
public record StridedIndices(Scope k, I32 first, I32 count, I32 workers) implements WorkIndices {

  @Override
  public void forEach(Consumer<I32> body) {
    k.loop(first, count, workers, body::accept);
  }

  @Override
  public WorkIndices of(OrderedSequence.Turn turn) {
    return new StridedIndices(k, first.plus(turn.before().times(workers)), count, workers.times(turn.round()));
  }
}
