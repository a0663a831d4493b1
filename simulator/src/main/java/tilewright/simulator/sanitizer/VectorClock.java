package tilewright.simulator.sanitizer;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import tilewright.simulator.core.Warp;

/**
 * How much of every thread's past is known in some place (happens-before). Time is kept by warp; what only single lanes
 * made known is kept by lane beside it, and what is known of other CTAs beside that.
 */
public final class VectorClock {
  /** The owner of a clock that belongs to no CTA. */
  private static final int LAUNCH = -1;

  private final int cta;
  private final int[] warps;
  private int[] lanes = {};
  /** By queue of the CTA, up to which number its asynchronous operations are complete. */
  private int[] queues = {};
  private final Map<Integer, VectorClock> others = new HashMap<>(0);

  private VectorClock(int cta, int warps) {
    this.cta = cta;
    this.warps = new int[warps];
  }

  static VectorClock ofCta(int cta, int warps) {
    return new VectorClock(cta, warps);
  }

  /** A clock for places that all CTAs see. */
  static VectorClock ofLaunch() {
    return new VectorClock(LAUNCH, 0);
  }

  /** A clock that knows that the grids before this one are over. */
  static VectorClock ofEarlierGrids() {
    var clock = new VectorClock(Epoch.EARLIER_GRIDS, 1);
    clock.reach(0, 1);
    return clock;
  }

  boolean isOf(int number) {
    return cta == number;
  }

  /** Whether anything that a CTA did is known. */
  boolean knowsOf(int number) {
    return others.containsKey(number);
  }

  boolean knows(long epoch) {
    int number = Epoch.ctaOf(epoch);
    if (number == cta) return Epoch.time(epoch) <= time(Epoch.warp(epoch), Epoch.lane(epoch));
    var other = others.get(number);
    return other != null && Epoch.time(epoch) <= other.time(Epoch.warp(epoch), Epoch.lane(epoch));
  }

  /** The number up to which a queue's operations are known to be complete. */
  int completed(AsyncQueue queue) {
    var part = queue.cta() == cta ? this : others.get(queue.cta());
    return part == null || queue.id() >= part.queues.length ? 0 : part.queues[queue.id()];
  }

  /** A queue's operations up to a number become known to be complete. */
  public void complete(AsyncQueue queue, int number) {
    if (queue.cta() != cta) {
      var part = new VectorClock(queue.cta(), 0);
      part.complete(queue, number);
      joinPart(part);
      return;
    }
    if (queue.id() >= queues.length) queues = Arrays.copyOf(queues, queue.id() + 1);
    queues[queue.id()] = Math.max(queues[queue.id()], number);
  }

  private int time(int warp, int lane) {
    // A part that knows only of asynchronous operations has no warps.
    if (warp >= warps.length) return 0;
    return lanes.length == 0 ? warps[warp] : Math.max(warps[warp], lanes[warp * Warp.LANES + lane]);
  }

  /** Makes known all that the lanes of a warp did until then. */
  void reach(int warp, int time) {
    warps[warp] = Math.max(warps[warp], time);
  }

  /** Makes known all that one lane did until then. */
  void reach(int warp, int lane, int time) {
    lanesOf()[warp * Warp.LANES + lane] = time;
  }

  private int[] lanesOf() {
    if (lanes.length == 0) lanes = new int[warps.length * Warp.LANES];
    return lanes;
  }

  /** Joins only what the other knows of asynchronous operations. */
  void joinOperations(VectorClock other) {
    joinPart(other.operations());
    other.others.values().forEach(part -> joinPart(part.operations()));
  }

  private VectorClock operations() {
    var part = new VectorClock(cta, 0);
    part.queues = queues.clone();
    return part;
  }

  void join(VectorClock other) {
    joinPart(other);
    other.others.values().forEach(this::joinPart);
  }

  private void joinPart(VectorClock part) {
    if (part.cta == LAUNCH) return;
    if (part.cta == cta) {
      max(part);
      return;
    }
    var mine = others.get(part.cta);
    if (mine == part || mine != null && mine.covers(part)) return;
    // Parts are shared between clocks, so they are never changed.
    var joint = new VectorClock(part.cta, Math.max(part.warps.length, mine == null ? 0 : mine.warps.length));
    joint.max(part);
    if (mine != null) joint.max(mine);
    others.put(part.cta, joint);
  }

  private boolean covers(VectorClock other) {
    if (warps.length < other.warps.length || queues.length < other.queues.length) return false;
    for (int i = 0; i < other.warps.length; i++) if (warps[i] < other.warps[i]) return false;
    for (int i = 0; i < other.queues.length; i++) if (queues[i] < other.queues[i]) return false;
    for (int i = 0; i < other.lanes.length; i++) {
      if (time(i / Warp.LANES, i % Warp.LANES) < other.lanes[i]) return false;
    }
    return true;
  }

  private void max(VectorClock other) {
    for (int i = 0; i < other.warps.length; i++) warps[i] = Math.max(warps[i], other.warps[i]);
    if (queues.length < other.queues.length) queues = Arrays.copyOf(queues, other.queues.length);
    for (int i = 0; i < other.queues.length; i++) queues[i] = Math.max(queues[i], other.queues[i]);
    if (other.lanes.length == 0) return;
    var mine = lanesOf();
    for (int i = 0; i < mine.length; i++) mine[i] = Math.max(mine[i], other.lanes[i]);
  }
}
