package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * The asynchronous operations of a cluster that are under way. It is adversarial: operations complete in any order that
 * {@link AsyncOperation#ready} allows, some runs complete them eagerly and some only when no thread can go on, so that
 * whoever relies on an order or a delay that nobody promised is found out by some seed.
 */
final class AsyncEngine {
  /** By run, one in so many turns of the scheduler completes an operation while threads can go on. */
  private static final int[] LAGS = {1, 4, 4, 32, 256};

  private final List<AsyncOperation> pending = new ArrayList<>();
  private SplittableRandom random = new SplittableRandom();
  private int lag = 1;

  /** Forgets all operations; from now on the generator chooses. */
  void reset(SplittableRandom generator) {
    pending.clear();
    random = generator;
    lag = 0;
  }

  /** An operation begins. It completes later, never within this call. */
  void issue(AsyncOperation operation) {
    // Launches without asynchronous operations draw nothing for them.
    if (lag == 0) lag = LAGS[random.nextInt(LAGS.length)];
    pending.add(operation);
  }

  boolean pending() {
    return !pending.isEmpty();
  }

  /** Whether an operation completes now although threads could go on. */
  boolean due() {
    return !pending.isEmpty() && random.nextInt(lag) == 0;
  }

  /** Completes one of the operations that are ready. */
  void completeOne() {
    if (!completeOne(_ -> true)) {
      throw new IllegalStateException("no operation is ready, not even the earliest: " + pending.getFirst().describe());
    }
  }

  /**
   * Completes all operations that satisfy a condition, and those that these must come after: what an instruction does
   * that waits for them.
   */
  void complete(Predicate<AsyncOperation> condition) {
    while (pending.stream().anyMatch(condition)) if (!completeOne(condition)) completeOne();
  }

  private boolean completeOne(Predicate<AsyncOperation> condition) {
    int first = random.nextInt(pending.size());
    for (int k = 0; k < pending.size(); k++) {
      int i = first + k < pending.size() ? first + k : first + k - pending.size();
      var operation = pending.get(i);
      if (!condition.test(operation) || !operation.ready()) continue;
      pending.remove(i);
      operation.complete();
      return true;
    }
    return false;
  }

  /** Completes what is left when all threads have exited. */
  void drain() {
    while (pending()) completeOne();
  }

  /** The operations under way, in order of their issue. */
  List<AsyncOperation> operations() {
    return List.copyOf(pending);
  }
}
