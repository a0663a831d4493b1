package tilewright.simulator.core;

import java.util.TreeMap;
import tilewright.simulator.Finding.Kind;

/**
 * The mbarrier objects in a CTA's shared memory (PTX ISA, mbarrier). A phase completes when no arrival and no
 * transaction byte is outstanding. Generated code resolves the addresses first, so {@link Warp#offsets} holds the
 * objects' places.
 */
public final class Mbarriers {
  private static final int COUNT_BITS = 20;
  private static final int MOST = (1 << COUNT_BITS) - 1;
  /** Flags of an arrival: it also lowers what later phases expect; it must not be the last of its phase. */
  public static final int DROPS = 1;
  public static final int KEEPS_PHASE = 2;

  private final Cta cta;
  private final TreeMap<Integer, Mbarrier> objects = new TreeMap<>();

  /** One object. */
  private static final class Mbarrier {
    /** What the threads that arrived know; null when nobody watches. */
    final SyncClock clock;
    int expected;
    int pending;
    int bytes;
    long phase;

    Mbarrier(SyncClock clock, int expected) {
      this.clock = clock;
      this.expected = expected;
      pending = expected;
    }
  }

  Mbarriers(Cta cta) {
    this.cta = cta;
  }

  void reset() {
    objects.clear();
  }

  public static void init(Warp w, int mask, int[] count, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      if (count[lane] < 1 || count[lane] > MOST) {
        throw invalid(w, lane, site, "initialises an mbarrier with a count of " + count[lane] + ", outside 1 to "
            + MOST);
      }
      w.cta.mbarriers.objects.put(w.offsets[lane], new Mbarrier(clock(w), count[lane]));
    }
  }

  private static SyncClock clock(Warp w) {
    return w.cta.sanitizer == null ? null : w.cta.sanitizer.causality().clock();
  }

  public static void invalidate(Warp w, int mask, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) {
        find(w, lane, site);
        w.cta.mbarriers.objects.remove(w.offsets[lane]);
      }
    }
  }

  /** Expects more transaction bytes in the current phase. */
  public static void expect(Warp w, int mask, int[] bytes, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(w, lane, site);
      b.bytes += bytes[lane];
      if (b.bytes > MOST) throw invalid(w, lane, site, "expects " + b.bytes + " bytes, more than " + MOST);
    }
  }

  /** Arrives; the states before it, as {@code mbarrier.arrive} returns them, go to {@code token}. */
  public static void arrive(Warp w, int mask, int[] count, long[] token, int flags, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(w, lane, site);
      token[lane] = b.phase << COUNT_BITS | b.pending;
      if (count[lane] < 1 || count[lane] > b.pending) {
        throw invalid(w, lane, site, "arrives " + count[lane] + " times, but the phase awaits " + b.pending
            + " arrivals of "
            + b.expected);
      }
      if (w.cta.sanitizer != null) w.cta.sanitizer.causality().release(w, 1 << lane, b.clock);
      b.pending -= count[lane];
      if ((flags & KEEPS_PHASE) != 0 && b.pending == 0 && b.bytes == 0) {
        throw invalid(w, lane, site, "completes the phase with an arrive.noComplete");
      }
      if ((flags & DROPS) != 0) b.expected -= count[lane];
      w.cta.mbarriers.settle(b);
    }
  }

  /** The pending arrivals in a state that {@code mbarrier.arrive} returned. */
  public static int pendingCount(long token) {
    return (int) token & MOST;
  }

  /** A lane's asynchronous copies will arrive; {@code extra} arrivals are added to the phase for them. */
  static void announce(Warp w, int lane, int extra, int site) {
    var b = find(w, lane, site);
    if (b.pending + extra > MOST) throw invalid(w, lane, site, "awaits more than " + MOST + " arrivals");
    b.pending += extra;
  }

  /** Announced copies have landed. */
  void landed(Warp w, int lane, int offset, int site) {
    var b = objects.get(offset);
    if (b == null || b.pending == 0) {
      throw new Fault(Kind.INVALID_OPERATION, site, lane, offset, w.who(lane)
          + "'s copies arrive at an mbarrier that awaits no arrival, at shared memory + " + offset);
    }
    if (cta.sanitizer != null) cta.sanitizer.causality().release(w, 1 << lane, b.clock);
    b.pending--;
    settle(b);
  }

  /** A phase by parity; lanes whose phase has completed are set in the predicate. Nonzero: nobody's has, so wait. */
  public static int tryWaitParity(Warp w, int mask, int[] parity, int predicate, int site) {
    int done = testParity(w, mask, parity, site);
    return settleWait(w, mask, done, predicate, site);
  }

  /** A phase by the token of the arrival in it. */
  public static int tryWait(Warp w, int mask, long[] token, int predicate, int site) {
    return settleWait(w, mask, test(w, mask, token, site), predicate, site);
  }

  private static int settleWait(Warp w, int mask, int done, int predicate, int site) {
    w.p[predicate] = w.p[predicate] & ~mask | done;
    if (done != 0) return 0;
    // An instruction that may suspend the thread needs no busy loop: it is tried again when a phase completes.
    w.current.state = LaneGroup.State.AT_MBARRIER;
    w.current.site = site;
    w.current.barrier = w.offsets[Integer.numberOfTrailingZeros(mask)];
    return 1;
  }

  public static int testParity(Warp w, int mask, int[] parity, int site) {
    int done = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(w, lane, site);
      if ((b.phase & 1) != (parity[lane] & 1)) done |= acquired(w, lane, b);
    }
    return done;
  }

  public static int test(Warp w, int mask, long[] token, int site) {
    int done = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(w, lane, site);
      if (b.phase > token[lane] >>> COUNT_BITS) done |= acquired(w, lane, b);
    }
    return done;
  }

  private static int acquired(Warp w, int lane, Mbarrier b) {
    if (w.cta.sanitizer != null) w.cta.sanitizer.causality().acquire(w, 1 << lane, b.clock);
    return 1 << lane;
  }

  /** An asynchronous copy has brought bytes; {@code clock} is what its issuer knew, or null. */
  void complete(int offset, int bytes, SyncClock clock) {
    var b = objects.get(offset);
    if (b == null) return;
    if (clock != null) b.clock.join(clock);
    b.bytes -= bytes;
    settle(b);
  }

  boolean exists(int offset) {
    return objects.containsKey(offset);
  }

  private void settle(Mbarrier b) {
    if (b.pending != 0 || b.bytes != 0) return;
    b.phase++;
    b.pending = b.expected;
    for (var w : cta.warps) w.resume(LaneGroup.State.AT_MBARRIER);
  }

  private static Mbarrier find(Warp w, int lane, int site) {
    var b = w.cta.mbarriers.objects.get(w.offsets[lane]);
    if (b == null) throw invalid(w, lane, site, "uses an mbarrier that was not initialised");
    return b;
  }

  private static Fault invalid(Warp w, int lane, int site, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, lane, w.offsets[lane],
        w.who(lane) + " " + what + ", at shared memory + " + w.offsets[lane]);
  }

  String describe(int offset) {
    var b = objects.get(offset);
    if (b == null) return "mbarrier at " + offset + ", which was invalidated";
    return "mbarrier at " + offset + ": phase " + b.phase
        + ", " + b.pending + " of " + b.expected + " arrivals and " + b.bytes + " bytes outstanding";
  }
}
