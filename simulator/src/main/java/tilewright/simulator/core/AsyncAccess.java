package tilewright.simulator.core;

/**
 * What an asynchronous operation does to memory, for the {@link Sanitizer}: it is over for those who know its queue up
 * to its number, which it may get only when it completes.
 */
final class AsyncAccess {
  /** What to wait for, in words. */
  final String fix;
  /** Among the accesses of the cluster. */
  final int index;
  /** Whether it is a reduction, of which several may change one place at a time. */
  private boolean reduction;
  private AsyncQueue queue;
  private int number;
  /** Of its parts, how many have no number yet. */
  private int open = 1;

  AsyncAccess(int index, String fix) {
    this.index = index;
    this.fix = fix;
  }

  /** It is made by so many operations. */
  AsyncAccess ofParts(int parts) {
    open = parts;
    return this;
  }

  /** From now on it, or one part more, counts as that one of a queue. */
  AsyncAccess in(AsyncQueue newQueue, int newNumber) {
    queue = newQueue;
    number = newNumber;
    open--;
    return this;
  }

  AsyncAccess asReduction() {
    reduction = true;
    return this;
  }

  boolean isReduction() {
    return reduction;
  }

  /** Whether a lane knows that it is over. */
  boolean isKnown(Causality causality, Warp w, int lane) {
    return open == 0 && causality.completed(w, lane, queue) >= number;
  }
}
