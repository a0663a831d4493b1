package tilewright.simulator.sync;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Optional;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.SyncClock;

/**
 * One mbarrier object (PTX ISA, mbarrier). Its current phase completes when no arrival is pending and the transaction
 * count is zero; the next one then awaits as many arrivals as are expected.
 */
final class Mbarrier {
  private static final int COUNT_BITS = 20;
  /** The most arrivals that a phase may await, and the largest transaction count, of either sign. */
  static final int MOST = (1 << COUNT_BITS) - 1;

  private final Cta owner;
  private final int offset;
  private int expected;
  private int pending;
  private int transactions;
  private long phase;
  /**
   * The knowledge of threads that arrived in phases that are over, and in the current one; null when nobody watches.
   * Near is the part from threads of the owner and asynchronous operations, far the part from threads of other CTAs.
   */
  private final SyncClock near;
  private final SyncClock far;
  private SyncClock arrivingNear;
  private SyncClock arrivingFar;
  /** The record of its initialisation and of completions there; null when nobody watches. */
  private final MbarrierWatch watch;
  /** By number in the cluster, the warps that arrived in the current phase, and in earlier ones. */
  private final BitSet arrived = new BitSet();
  private final BitSet arrivedBefore = new BitSet();

  Mbarrier(Cta owner, int offset, int count, MbarrierWatch watch) {
    this.owner = owner;
    this.watch = watch;
    this.offset = offset;
    expected = count;
    pending = count;
    near = clock();
    far = clock();
    arrivingNear = clock();
    arrivingFar = clock();
  }

  private SyncClock clock() {
    return owner.state.sanitize ? Sanitizer.of(owner).causality().clock() : null;
  }

  MbarrierWatch watch() {
    return watch;
  }

  int offset() {
    return offset;
  }

  /** How many phases are over. */
  long phase() {
    return phase;
  }

  /** The state as {@code mbarrier.arrive} returns it. */
  long state() {
    return phase << COUNT_BITS | pending;
  }

  static int pendingIn(long state) {
    return (int) state & MOST;
  }

  /** Whether the phase of a state has completed. */
  boolean isOver(long state) {
    return phase > state >>> COUNT_BITS;
  }

  /** Whether the phase before the current one has that parity, and not the current one. */
  boolean isOverByParity(int parity) {
    return (phase & 1) != (parity & 1);
  }

  /** A thread that arrives makes known what it knows, as far as its scope goes. */
  void release(Warp w, int lane, MemoryOrder order) {
    // Tcgen05 fences compose with arrivals and waits of any ordering.
    var causality = Sanitizer.of(w.cta).causality();
    causality.tensorOrder(w).tell((w.cta == owner ? arrivingNear : arrivingFar).tensor);
    if (!order.release()) return;
    if (w.cta == owner) {
      causality.release(w, 1 << lane, arrivingNear);
    } else if (order.reachesCluster()) {
      causality.release(w, 1 << lane, arrivingFar);
    } else {
      causality.releaseReads(w, 1 << lane, arrivingFar);
    }
  }

  /** Lanes whose wait was successful learn what their scope reaches. */
  void acquire(Warp w, int lanes, MemoryOrder order) {
    var causality = Sanitizer.of(w.cta).causality();
    causality.tensorOrder(w).hear(near.tensor);
    causality.tensorOrder(w).hear(far.tensor);
    causality.complete(w, lanes, watch.queue(), (int) phase);
    if (!order.acquire()) return;
    causality.acquire(w, lanes, near);
    if (order.reachesCluster()) {
      causality.acquire(w, lanes, far);
    } else {
      causality.acquireReads(w, lanes, far);
    }
  }

  /** An asynchronous operation that completes here makes something known. */
  void carry(SyncClock clock) {
    arrivingNear.join(clock);
  }

  /** Awaits more arrivals in this phase. Returns what is wrong, if anything. */
  Optional<String> announce(int count) {
    if (pending + count > MOST) return Optional.of("awaits more than " + MOST + " arrivals");
    pending += count;
    trace(Use.EXPECT, false);
    return Optional.empty();
  }

  /** Changes the transaction count. Returns what is wrong with that, if anything. */
  Optional<String> expect(int bytes) {
    trace(Use.EXPECT, false);
    return changeTransactions(bytes, "expects ");
  }

  Optional<String> complete(int bytes) {
    var problem = changeTransactions(-(long) bytes, "completes ");
    if (problem.isEmpty()) settle();
    return problem;
  }

  private Optional<String> changeTransactions(long change, String verb) {
    long count = transactions + change;
    if (Math.abs(count) > MOST) {
      return Optional.of(verb + Math.abs(change) + " bytes, which makes a transaction count of " + count
          + ", beyond " + MOST);
    }
    transactions = (int) count;
    return Optional.empty();
  }

  /**
   * Arrivals of a warp, or of an asynchronous operation of it. Returns what is wrong with them, if anything.
   *
   * @param drops whether later phases expect so many fewer
   * @param keeps whether they must not complete the phase
   */
  Optional<String> arrive(int count, boolean drops, boolean keeps, Warp by) {
    if (count < 1 || count > pending) {
      return Optional.of("arrives " + count + " times, but the phase awaits " + pending + " arrivals of " + expected);
    }
    pending -= count;
    if (keeps && pending == 0 && transactions == 0) {
      return Optional.of("completes the phase with an arrive.noComplete");
    }
    if (drops) expected -= count;
    arrived.set(by.number());
    settle();
    return Optional.empty();
  }

  private void settle() {
    boolean completes = pending == 0 && transactions == 0;
    trace(Use.ARRIVE, completes);
    if (!completes) return;
    phase++;
    pending = expected;
    if (near != null) {
      near.known.complete(watch.queue(), (int) phase);
      near.join(arrivingNear);
      far.join(arrivingFar);
      arrivingNear = clock();
      arrivingFar = clock();
    }
    arrivedBefore.or(arrived);
    arrived.clear();
    owner.cluster.progress();
    for (var w : owner.warps) w.resume(LaneGroup.State.AT_MBARRIER);
  }

  /** Tells who explores schedules of a use in the current phase. */
  void trace(Use use, boolean completes) {
    owner.state.trace.ifPresent(t -> t.uses(SyncObject.mbarrier(owner, offset), use, phase, completes));
  }

  /** All that a deadlock may hang on. */
  String describe() {
    var text = "mbarrier " + owner.places.of(AddressSpace.SHARED_WINDOW + offset) + ": phase " + phase + ", " + pending
        + " of " + expected + " arrivals pending, transaction count " + transactions;
    if (transactions > 0) text += " (bytes expected that nothing brings)";
    if (transactions < 0) text += " (bytes that came and were not expected)";
    if (!arrived.isEmpty()) text += ", arrived in this phase: " + warps(arrived);
    var late = (BitSet) arrivedBefore.clone();
    late.andNot(arrived);
    if (pending > 0 && !late.isEmpty()) text += ", arrived only in earlier phases: " + warps(late);
    if (pending == 0) return text;
    var able = new BitSet();
    for (var cta : owner.cluster.ctas) for (var w : cta.warps) if (couldArrive(w)) able.set(w.number());
    return text + (able.isEmpty() ? ", no warp could still arrive" : ", could still arrive: " + warps(able));
  }

  /** Whether a warp has neither arrived in this phase nor waits for its end with all that is left of it. */
  private boolean couldArrive(Warp w) {
    return !arrived.get(w.number()) && w.groups.stream().anyMatch(
        g -> w.cta != owner || g.state != LaneGroup.State.AT_MBARRIER || g.barrier != offset);
  }

  private String warps(BitSet numbers) {
    var text = new ArrayList<String>();
    numbers.stream().forEach(n -> {
      var w = owner.cluster.warp(n);
      text.add("warp " + w.index + (w.cta == owner ? "" : " of block " + w.cta.position)
          + (w.finished() ? " (exited)" : ""));
    });
    return String.join(", ", text);
  }
}
