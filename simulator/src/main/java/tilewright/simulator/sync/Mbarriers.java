package tilewright.simulator.sync;

import java.util.Optional;
import java.util.TreeMap;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.Profile.BarrierUse;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.SyncClock;

/**
 * The mbarrier objects in a CTA's shared memory, and the instructions on them. Generated code resolves the addresses
 * first, so {@link Warp#owners} and {@link Warp#offsets} hold the objects' places.
 */
public final class Mbarriers {
  /** Flags of an arrival: it also lowers what later phases expect; it must not be the last of its phase. */
  public static final int DROPS = 1;
  public static final int KEEPS_PHASE = 2;
  /** One in so many tries that find the phase incomplete comes back at once, as if its time were over. */
  private static final int ONE_FAILS_IN = 16;

  private final Cta cta;
  private final TreeMap<Integer, Mbarrier> objects = new TreeMap<>();

  public Mbarriers(Cta cta) {
    this.cta = cta;
  }

  public static Mbarriers of(Cta cta) {
    return SyncUnits.of(cta).mbarriers();
  }

  public void reset() {
    objects.clear();
  }

  public static void init(Warp w, int mask, int[] count, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      if (count[lane] < 1 || count[lane] > Mbarrier.MOST) {
        throw invalid(w, lane, site, "initialises an mbarrier with a count of " + count[lane] + ", outside 1 to "
            + Mbarrier.MOST);
      }
      var watch = w.cta.state.sanitize ? new MbarrierWatch(w, lane, site) : null;
      var b = new Mbarrier(w.cta, w.offsets[lane], count[lane], watch);
      own(w, lane, site).objects.put(w.offsets[lane], b);
      b.trace(Use.WRITE, false);
    }
  }

  public static void invalidate(Warp w, int mask, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      find(own(w, lane, site), w, lane, site).trace(Use.WRITE, false);
      Mbarriers.of(w.cta).objects.remove(w.offsets[lane]);
    }
  }

  /** Expects more transaction bytes in the current phase. */
  public static void expect(Warp w, int mask, int[] bytes, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) require(find(w, lane, site).expect(bytes[lane]), w, lane, site);
    }
  }

  /** {@code mbarrier.complete_tx}: what an asynchronous operation does when it completes. */
  public static void complete(Warp w, int mask, int[] bytes, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      require(find(w, lane, site).complete(bytes[lane]), w, lane, site);
    }
  }

  /** Arrives; the states before it, as {@code mbarrier.arrive} returns them, go to {@code token}. */
  public static void arrive(Warp w, int mask, int[] count, long[] token, int flags, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(w, lane, site);
      token[lane] = b.state();
      Mbarriers.of(w.owners[lane]).used(w.offsets[lane], BarrierUse.Kind.ARRIVAL, w);
      release(w, lane, b, site);
      require(b.arrive(count[lane], (flags & DROPS) != 0, (flags & KEEPS_PHASE) != 0, w), w, lane, site);
    }
  }

  private static void release(Warp w, int lane, Mbarrier b, int site) {
    if (w.cta.state.sanitize) b.release(w, lane, w.cta.kernel.sites().get(site).order());
  }

  /** The pending arrivals in a state that {@code mbarrier.arrive} returned. */
  public static int pendingCount(long state) {
    return Mbarrier.pendingIn(state);
  }

  /** A lane's asynchronous copies will arrive; {@code extra} arrivals are added to the phase for them. */
  public static void announce(Warp w, int lane, int extra, int site) {
    require(find(w, lane, site).announce(extra), w, lane, site);
  }

  /** A phase by parity; lanes whose phase has completed are set in the predicate. Nonzero: nobody's has, so wait. */
  public static int tryWaitParity(Warp w, int mask, int[] parity, int predicate, int site) {
    int done = parity(w, mask, parity, Use.BLOCK, site) | resumed(w, mask, site);
    int waits = settleWait(w, mask, done, predicate, site);
    w.current.suspended = 0;
    // Hardware may let a thread come late, although this one never misses the end of its suspension.
    if (waits != 0 && w.cta.state.trace.isEmpty()) suspend(w, mask, site);
    return waits;
  }

  /** Remembers which phase ends the suspension of lanes that wait at one object. */
  private static void suspend(Warp w, int mask, int site) {
    int first = Integer.numberOfTrailingZeros(mask);
    if (w.atPlaceOfFirst(mask) != mask) return;
    w.current.suspended = mask;
    w.current.phase = find(own(w, first, site), w, first, site).phase();
  }

  /** Lanes whose suspension a phase has ended: however late they run, they have seen it, even if others followed. */
  private static int resumed(Warp w, int mask, int site) {
    var group = w.current;
    int lanes = mask & group.suspended;
    if (lanes == 0 || group.site != site || group.barrier != w.offsets[Integer.numberOfTrailingZeros(lanes)]) return 0;
    int done = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var b = find(own(w, lane, site), w, lane, site);
      if (b.phase() > group.phase) done |= 1 << lane;
    }
    return acquired(w, done, site);
  }

  /** A phase by the state that the arrival in it returned. */
  public static int tryWait(Warp w, int mask, long[] state, int predicate, int site) {
    return settleWait(w, mask, state(w, mask, state, Use.BLOCK, site), predicate, site);
  }

  private static int settleWait(Warp w, int mask, int done, int predicate, int site) {
    w.p[predicate] = w.p[predicate] & ~mask | done;
    for (int rest = done; rest != 0; rest &= rest - 1) {
      Mbarriers.of(w.cta).used(w.offsets[Integer.numberOfTrailingZeros(rest)], BarrierUse.Kind.WAIT, w);
    }
    var group = w.current;
    boolean late = group.timedOut;
    group.timedOut = false;
    var trace = w.cta.state.trace;
    trace.ifPresent(t -> t.tries(site));
    if (done != 0 || late || w.cta.random().nextInt(ONE_FAILS_IN) == 0) return 0;
    if (trace.isPresent() && trace.get().givesUp(w, site)) return 0;
    // An instruction that may suspend the thread needs no busy loop: it is tried again when a phase completes.
    group.state = LaneGroup.State.AT_MBARRIER;
    group.site = site;
    group.barrier = w.offsets[Integer.numberOfTrailingZeros(mask)];
    return 1;
  }

  public static int testParity(Warp w, int mask, int[] parity, int site) {
    return parity(w, mask, parity, Use.POLL, site);
  }

  /** @param failing what a lane does to an object whose phase is not over */
  private static int parity(Warp w, int mask, int[] parity, Use failing, int site) {
    int done = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(own(w, lane, site), w, lane, site);
      boolean over = b.isOverByParity(parity[lane]);
      b.trace(over && failing == Use.BLOCK ? Use.WAIT : failing, false);
      if (!over) continue;
      if (b.watch() != null) b.watch().checkPhase(w, lane, b.phase(), site);
      done |= 1 << lane;
    }
    return acquired(w, done, site);
  }

  public static int test(Warp w, int mask, long[] state, int site) {
    return state(w, mask, state, Use.POLL, site);
  }

  private static int state(Warp w, int mask, long[] state, Use failing, int site) {
    int done = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var b = find(own(w, lane, site), w, lane, site);
      boolean over = b.isOver(state[lane]);
      b.trace(over && failing == Use.BLOCK ? Use.RESUME : failing, false);
      if (over) done |= 1 << lane;
    }
    return acquired(w, done, site);
  }

  /** The waits of some lanes were successful; returns these lanes. */
  private static int acquired(Warp w, int lanes, int site) {
    if (lanes == 0) return 0;
    w.cta.cluster.progress();
    if (!w.cta.state.sanitize) return lanes;
    var order = w.cta.kernel.sites().get(site).order();
    for (int rest = lanes; rest != 0;) {
      int together = w.atPlaceOfFirst(rest);
      Mbarriers.of(w.cta).objects.get(w.offsets[Integer.numberOfTrailingZeros(rest)]).acquire(w, together, order);
      rest &= ~together;
    }
    return lanes;
  }

  /** {@code fence.mbarrier_init}: what a lane has initialised is ready for all who learn of this. */
  static void fence(Warp w, int lane) {
    var queue = Sanitizer.of(w.cta).causality().queue();
    var access = Sanitizer.of(w.cta).begin("").in(queue, 1);
    for (var b : Mbarriers.of(w.cta).objects.values()) b.watch().fence(w, lane, access);
    Sanitizer.of(w.cta).causality().complete(w, 1 << lane, queue, 1);
  }

  /** A lane issues an asynchronous operation that completes at an object, which must be ready for that. */
  public void checkReady(Warp w, int lane, int offset, int site) {
    var b = objects.get(offset);
    if (b == null || b.watch() == null) return;
    b.watch().checkInitialised(w, lane, site);
    b.watch().checkReady(w, lane, site);
  }

  /** An asynchronous operation completes there now: who waits for the phase knows of it. */
  public void completes(int offset, AsyncAccess access) {
    var b = objects.get(offset);
    if (b != null) access.in(b.watch().queue(), (int) b.phase() + 1);
  }

  /**
   * An asynchronous operation that a lane issued has brought bytes.
   *
   * @param clock what its issuer knew, or null
   */
  public void complete(Warp by, int lane, int offset, int bytes, SyncClock clock, int site) {
    var b = landing(by, lane, offset, site);
    used(offset, BarrierUse.Kind.BYTES, by);
    if (clock != null) b.carry(clock);
    b.complete(bytes).ifPresent(what -> {
      throw invalid(by, lane, offset, site, "'s operation " + what);
    });
  }

  /** An asynchronous operation that a lane issued arrives once, as {@link #complete}. */
  public void arrive(Warp by, int lane, int offset, SyncClock clock, int site) {
    var b = landing(by, lane, offset, site);
    used(offset, BarrierUse.Kind.COMMIT, by);
    if (clock != null) b.carry(clock);
    b.arrive(1, false, false, by).ifPresent(what -> {
      throw invalid(by, lane, offset, site, "'s operation " + what);
    });
  }

  private void used(int offset, BarrierUse.Kind kind, Warp by) {
    if (cta.state.profile) cta.watch.barrier(cta, offset, kind, by);
  }

  private Mbarrier landing(Warp by, int lane, int offset, int site) {
    var b = objects.get(offset);
    if (b != null) return b;
    throw invalid(by, lane, offset, site, "'s operation completes at an mbarrier that is invalid by now");
  }

  /** Whether there is a valid object, for operations that will complete there. */
  public boolean exists(int offset) {
    return objects.containsKey(offset);
  }

  private static Mbarriers own(Warp w, int lane, int site) {
    if (w.owners[lane] == w.cta) return Mbarriers.of(w.cta);
    throw invalid(w, lane, site, "uses an mbarrier of another block, where only one of its own will do");
  }

  private static Mbarrier find(Warp w, int lane, int site) {
    var owner = w.owners[lane];
    if (owner == null) throw invalid(w, lane, site, "uses an mbarrier outside shared memory");
    return find(Mbarriers.of(owner), w, lane, site);
  }

  private static Mbarrier find(Mbarriers in, Warp w, int lane, int site) {
    var b = in.objects.get(w.offsets[lane]);
    if (b == null) throw invalid(w, lane, site, "uses an mbarrier that was not initialised");
    if (b.watch() != null) b.watch().checkInitialised(w, lane, site);
    return b;
  }

  private static void require(Optional<String> problem, Warp w, int lane, int site) {
    if (problem.isPresent()) throw invalid(w, lane, site, problem.get());
  }

  private static Fault invalid(Warp w, int lane, int site, String what) {
    return invalid(w, lane, w.offsets[lane], site, " " + what);
  }

  private static Fault invalid(Warp w, int lane, int offset, int site, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, lane, offset, w.who(lane) + what + ", at shared memory + " + offset)
        .by(w);
  }

  public String describe(int offset) {
    var b = objects.get(offset);
    return b == null ? "mbarrier at " + offset + ", which was invalidated" : b.describe();
  }
}
