package tilewright.simulator.sanitizer;

import tilewright.simulator.core.Warp;

/**
 * An asynchronous operation's access to memory, for the {@link Sanitizer}: it is over for those who know its queue up
 * to its number, which it may get only when it completes.
 */
public final class AsyncAccess {
  /** The thing to wait for, in words. */
  final String fix;
  /** Among the accesses of the cluster. */
  final int index;
  /** Whether it is a reduction, of which several may change one place at a time. */
  private boolean reduction;
  private AsyncQueue queue;
  private int number;
  /** The number of its parts that have no number yet. */
  private int open = 1;

  public AsyncAccess(int index, String fix) {
    this.index = index;
    this.fix = fix;
  }

  /** It is made by so many operations. */
  public AsyncAccess ofParts(int parts) {
    open = parts;
    return this;
  }

  /** From now on it, or one part more, counts as that one of a queue. */
  public AsyncAccess in(AsyncQueue newQueue, int newNumber) {
    queue = newQueue;
    number = newNumber;
    open--;
    return this;
  }

  public AsyncAccess asReduction() {
    reduction = true;
    return this;
  }

  boolean isReduction() {
    return reduction;
  }

  /** Whether a lane knows that it is over. */
  public boolean isKnown(Causality causality, Warp w, int lane) {
    return open == 0 && causality.completed(w, lane, queue) >= number;
  }
}
