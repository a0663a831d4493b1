package tilewright.simulator.sync;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.SyncClock;

/** The sixteen named barriers of a CTA (PTX ISA, bar and barrier). */
public final class Barriers {
  static final int COUNT = 16;
  private static final int ALL = -1;

  private final Cta cta;
  private final Barrier[] barriers = new Barrier[COUNT];

  /** One barrier: who has arrived, who waits. */
  private static final class Barrier {
    final int[] arrived;
    final List<LaneGroup> waiting = new ArrayList<>();
    /** The knowledge of the threads that arrived; null when nobody watches. */
    SyncClock clock;
    int expected;
    /** How often it has opened. */
    long phase;
    boolean used;
    /** Votes of a reducing barrier. */
    int truths;
    int falsehoods;

    Barrier(int warps) {
      arrived = new int[warps];
    }
  }

  public Barriers(Cta cta) {
    this.cta = cta;
    for (int i = 0; i < COUNT; i++) barriers[i] = new Barrier(cta.warps.length);
  }

  public void reset() {
    for (var b : barriers) if (b.used) clear(b);
  }

  private static void clear(Barrier b) {
    b.used = false;
    b.truths = 0;
    b.falsehoods = 0;
    b.waiting.clear();
    Arrays.fill(b.arrived, 0);
    b.clock = null;
  }

  /** Arrives and waits; returns whether the lanes must wait. {@code count} is per lane; 0 stands for all threads. */
  public static int sync(Warp w, int mask, int[] id, int[] count, int site) {
    var group = w.current;
    group.state = LaneGroup.State.AT_BARRIER;
    group.site = site;
    group.barrier = id[Integer.numberOfTrailingZeros(mask)];
    SyncUnits.of(w.cta).barriers().arrive(w, mask, id, count, site, group);
    return group.state == LaneGroup.State.RUNNING ? 0 : 1;
  }

  /** {@code bar.red}: arrives with a vote by the predicate, and waits. */
  public static int vote(Warp w, int mask, int[] id, int[] count, int predicate, int site) {
    int lane = Integer.numberOfTrailingZeros(mask);
    if (id[lane] >= 0 && id[lane] < COUNT) {
      var b = SyncUnits.of(w.cta).barriers().barriers[id[lane]];
      b.truths += Integer.bitCount(w.p[predicate] & mask);
      b.falsehoods += Integer.bitCount(~w.p[predicate] & mask);
    }
    return sync(w, mask, id, count, site);
  }

  /** How many threads voted for, once the barrier has opened. */
  public static void truths(Warp w, int mask, int[] to) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) to[lane] = w.truths[lane];
  }

  /** The lanes whose barrier had no vote against. */
  public static int unanimous(Warp w, int mask) {
    int lanes = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) if (w.falsehoods[lane] == 0) lanes |= 1 << lane;
    return lanes;
  }

  /** The lanes whose barrier had a vote for. */
  public static int anyTruth(Warp w, int mask) {
    int lanes = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) if (w.truths[lane] != 0) lanes |= 1 << lane;
    return lanes;
  }

  /** Arrives without waiting. */
  public static void arrive(Warp w, int mask, int[] id, int[] count, int site) {
    SyncUnits.of(w.cta).barriers().arrive(w, mask, id, count, site, null);
  }

  private void arrive(Warp w, int mask, int[] ids, int[] counts, int site, LaneGroup waiter) {
    int lane = Integer.numberOfTrailingZeros(mask);
    int id = ids[lane];
    int count = counts[lane];
    if (id < 0 || id >= COUNT) throw invalid(w, site, lane, id, "names barrier " + id + ", but there are 0 to 15");
    if (count < 0 || count % Warp.LANES != 0) {
      throw invalid(w, site, lane, id, "gives barrier " + id + " a count of " + count + ", which is no multiple of 32");
    }
    var b = barriers[id];
    int expected = count == 0 ? ALL : count;
    if (b.used && b.expected != expected) {
      throw invalid(w, site, lane, id, "gives barrier " + id + " a count of " + text(expected) + ", but others gave "
          + text(b.expected));
    }
    if ((b.arrived[w.index] & mask) != 0) {
      throw invalid(w, site, lane, id, "arrives twice at barrier " + id + " before it completes");
    }
    b.used = true;
    b.expected = expected;
    b.arrived[w.index] |= mask;
    if (waiter != null) b.waiting.add(waiter);
    if (cta.state.sanitize) {
      if (b.clock == null) b.clock = Sanitizer.of(cta).causality().clock();
      Sanitizer.of(cta).causality().release(w, mask, b.clock);
    }
    trace(id, Use.ARRIVE, complete(b));
    if (complete(b)) open(id);
  }

  private void trace(int id, Use use, boolean completes) {
    cta.state.trace.ifPresent(t -> t.uses(SyncObject.barrier(cta, id), use, barriers[id].phase, completes));
  }

  private static String text(int expected) {
    return expected == ALL ? "all threads" : Integer.toString(expected);
  }

  private static Fault invalid(Warp w, int site, int lane, int id, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, lane, id, w.who(lane) + " " + what);
  }

  private boolean complete(Barrier b) {
    if (!b.used) return false;
    int threads = 0;
    for (var w : cta.warps) {
      boolean whole = (w.live & ~b.arrived[w.index]) == 0;
      if (b.expected == ALL) {
        if (!whole) return false;
      } else if (b.arrived[w.index] != 0) {
        // Barriers count warps: lanes that never were or have exited count with the rest.
        threads += whole ? Warp.LANES : Integer.bitCount(b.arrived[w.index]);
      }
    }
    return b.expected == ALL || threads >= b.expected;
  }

  private void open(int id) {
    var b = barriers[id];
    var waiting = List.copyOf(b.waiting);
    b.phase++;
    cta.state.trace.ifPresent(t -> {
      for (var w : cta.warps) {
        if (w.groups.stream().anyMatch(waiting::contains)) t.wakes(w, SyncObject.barrier(cta, id), b.phase);
      }
    });
    if (cta.state.sanitize) {
      for (var w : cta.warps) {
        for (var g : w.groups) if (waiting.contains(g)) Sanitizer.of(cta).causality().acquire(w, g.mask, b.clock);
      }
    }
    if (b.truths + b.falsehoods > 0) {
      for (var w : cta.warps) for (var g : w.groups) if (waiting.contains(g)) hand(w, g.mask, b);
    }
    for (var g : waiting) g.state = LaneGroup.State.RUNNING;
    clear(b);
  }

  /** Leaves the result of the vote with the lanes, for the instruction behind the wait. */
  private static void hand(Warp w, int lanes, Barrier b) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((lanes >>> lane & 1) == 0) continue;
      w.truths[lane] = b.truths;
      w.falsehoods[lane] = b.falsehoods;
    }
  }

  /** Threads have exited: barriers that wait for all threads may now be complete. */
  public void exited() {
    for (int id = 0; id < COUNT; id++) {
      if (barriers[id].waiting.isEmpty() || !complete(barriers[id])) continue;
      trace(id, Use.ARRIVE, true);
      open(id);
    }
  }

  /** Names, for a report, the threads that have arrived at barriers in use and those that have not. */
  public List<String> describe() {
    return IntStream.range(0, COUNT).filter(id -> barriers[id].used).mapToObj(this::describe).toList();
  }

  private String describe(int id) {
    var b = barriers[id];
    int arrived = 0;
    int missing = 0;
    int threads = 0;
    for (var w : cta.warps) {
      threads += Integer.bitCount(b.arrived[w.index]);
      if (b.arrived[w.index] != 0) arrived |= 1 << w.index;
      if ((w.live & ~b.arrived[w.index]) != 0) missing |= 1 << w.index;
    }
    var text = "barrier " + id + " expects " + text(b.expected) + ", arrived: warps " + LaneReport.ranges(arrived);
    if (b.expected == ALL) return text + ", missing: warps " + LaneReport.ranges(missing);
    return text + ", missing: " + (b.expected - threads) + " threads, "
        + (missing == 0 ? "no warp could still arrive" : "could still arrive: warps " + LaneReport.ranges(missing));
  }
}
