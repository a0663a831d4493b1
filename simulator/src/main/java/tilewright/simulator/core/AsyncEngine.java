package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The asynchronous operations of a cluster that are under way. It is adversarial: operations complete in any order that
 * {@link AsyncOperation#ready} allows, some runs complete them eagerly and some only when no thread can go on, so that
 * whoever relies on an order or a delay that nobody promised is found out by some seed.
 */
public final class AsyncEngine {
  /** By run, one in so many turns of the scheduler completes an operation while threads can go on. */
  private static final int[] LAGS = {1, 4, 4, 32, 256};

  /**
   * Blocks of code that a warp can run, at least, before an operation completes while threads can go on. It is next to
   * nothing, but with less a warp could miss two phases of an mbarrier within what on hardware are a few cycles.
   */
  private static final int LATENCY = 48;

  private record Pending(AsyncOperation operation, long issued) {}

  private final List<Pending> pending = new ArrayList<>();
  private final Optional<SyncTrace> trace;
  private RandomGenerator random = new SplittableRandom();
  private int lag = 1;
  private long now;

  AsyncEngine(Optional<SyncTrace> trace) {
    this.trace = trace;
  }

  /** Forgets all operations; from now on the generator chooses. */
  void reset(RandomGenerator generator) {
    pending.clear();
    random = generator;
    lag = 0;
    now = 0;
  }

  /** Every warp that can go on will have run so many blocks more. */
  public void advance(int blocks) {
    now += blocks;
  }

  /** An operation begins. It completes later, never within this call. */
  public void issue(AsyncOperation operation) {
    // Launches without asynchronous operations draw nothing for them.
    if (lag == 0) lag = LAGS[random.nextInt(LAGS.length)];
    pending.add(new Pending(operation, now));
    trace.ifPresent(t -> t.issues(operation));
  }

  public boolean pending() {
    return !pending.isEmpty();
  }

  /** Completes one of the operations now and then, although threads could go on. Returns whether it did. */
  public boolean completeIfDue() {
    return !pending.isEmpty() && random.nextInt(lag) == 0 && completeOne(p -> p.issued + LATENCY <= now);
  }

  /** Completes one of the operations that are ready. */
  public void completeOne() {
    if (!completeOne(_ -> true)) {
      throw new IllegalStateException("no operation is ready, not even the earliest: "
          + pending.getFirst().operation.describe());
    }
  }

  /**
   * Completes all operations that satisfy a condition, and those that these must come after: what an instruction does
   * that waits for them.
   */
  public void complete(Predicate<AsyncOperation> condition) {
    Predicate<Pending> chosen = p -> condition.test(p.operation);
    while (pending.stream().anyMatch(chosen)) if (!completeOne(chosen)) completeOne();
  }

  /** Completes that very operation, which must be ready. */
  public void complete(AsyncOperation operation) {
    pending.removeIf(p -> p.operation == operation);
    operation.complete();
  }

  private boolean completeOne(Predicate<Pending> condition) {
    int first = random.nextInt(pending.size());
    for (int k = 0; k < pending.size(); k++) {
      int i = first + k < pending.size() ? first + k : first + k - pending.size();
      var p = pending.get(i);
      if (!condition.test(p) || !p.operation.ready()) continue;
      pending.remove(i);
      p.operation.complete();
      return true;
    }
    return false;
  }

  /** Completes what is left when all threads have exited. */
  void drain() {
    while (pending()) completeOne();
  }

  /** The operations under way, in order of their issue. */
  public List<AsyncOperation> operations() {
    return pending.stream().map(Pending::operation).toList();
  }
}
