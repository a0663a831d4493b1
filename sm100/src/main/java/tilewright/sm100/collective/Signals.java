package tilewright.sm100.collective;

import java.util.Collections;
import java.util.List;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * Barriers at which one role of a CTA signals another, again and again, that something is full or empty: one for each
 * of several tiles that are worked on alike. A ring has a barrier for each direction; this is one direction.
 *
 * @param first address of the first barrier
 */
public record Signals(Scope k, I32 first) {

  /**
   * Sets the barriers aside and has one thread initialise them. A barrier for all threads that use them follows.
   *
   * @param initialises true for that thread
   * @param arrivals that make a signal
   */
  public static Signals of(Scope k, int count, Pred initialises, int arrivals) {
    var signals = unpublished(k, count, initialises, arrivals);
    k.when(initialises, () -> Mbarrier.publish(k));
    return signals;
  }

  /** Reserves barriers and has one thread initialise them, which publishes them together with others. */
  public static Signals unpublished(Scope k, int count, Pred initialises, int arrivals) {
    return unpublished(k, initialises, Collections.nCopies(count, arrivals));
  }

  /** Reserves such barriers side by side, each with a number of arrivals of its own. */
  public static Signals unpublished(Scope k, Pred initialises, List<Integer> arrivals) {
    var signals = new Signals(k, k.sharedBytes(arrivals.size() * Mbarrier.BYTES));
    k.when(initialises, () -> {
      for (int i = 0; i < arrivals.size(); i++) signals.of(k.constant(i)).initialise(arrivals.get(i));
    });
    return signals;
  }

  /** The first barrier. */
  public Mbarrier barrier() {
    return of(k.constant(0));
  }

  /** The barrier at which one arrives. */
  public Mbarrier of(I32 which) {
    return new Mbarrier(k, first.plus(which.times(Mbarrier.BYTES)));
  }

  /** One of the signals by itself. */
  public Signals only(int which) {
    return new Signals(k, first.plus(which * Mbarrier.BYTES));
  }

  /** Waits for the first of the signals, each time for the next. */
  public Waiter waiter() {
    return waiter(k.constant(0));
  }

  /** Waits for the first of the signals, but not the first time: as if a signal had come before. */
  public Waiter waiterButFirst() {
    return waiterButFirst(k.constant(0));
  }

  /** Waits for one of the signals, each time for the next. */
  public Waiter waiter(I32 which) {
    return new Waiter(which, 0);
  }

  /** Waits for one of the signals, but not the first time: as if a signal had come before. */
  public Waiter waiterButFirst(I32 which) {
    return new Waiter(which, 1);
  }

  /** A role's place in the sequence of a signal. */
  public final class Waiter {
    private final I32 which;
    private final I32.Variable parity;

    private Waiter(I32 which, int parity) {
      this.which = which;
      this.parity = k.variable(k.constant(parity), 1);
    }

    public void await() {
      of(which).await(parity.value());
      turn();
    }

    /** Waits, and makes visible what other CTAs of the cluster published with the signal. */
    public void acquire() {
      of(which).acquire(parity.value());
      turn();
    }

    private void turn() {
      parity.set(parity.value().xor(k.constant(1)));
    }
  }
}
