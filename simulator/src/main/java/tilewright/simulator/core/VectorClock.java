package tilewright.simulator.core;

import java.util.HashMap;
import java.util.Map;

/**
 * How much of every thread's past is known in some place (happens-before). Time is kept by warp; what only single lanes
 * made known is kept by lane beside it, and what is known of other CTAs beside that.
 */
final class VectorClock {
  /** The owner of a clock that belongs to no CTA. */
  private static final int LAUNCH = -1;

  private final int cta;
  private final int[] warps;
  private int[] lanes = {};
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

  private int time(int warp, int lane) {
    return lanes.length == 0 ? warps[warp] : Math.max(warps[warp], lanes[warp * Warp.LANES + lane]);
  }

  /** What all lanes of a warp did until then becomes known. */
  void reach(int warp, int time) {
    warps[warp] = Math.max(warps[warp], time);
  }

  /** What one lane did until then becomes known. */
  void reach(int warp, int lane, int time) {
    lanesOf()[warp * Warp.LANES + lane] = time;
  }

  private int[] lanesOf() {
    if (lanes.length == 0) lanes = new int[warps.length * Warp.LANES];
    return lanes;
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
    var joint = new VectorClock(part.cta, part.warps.length);
    joint.max(part);
    if (mine != null) joint.max(mine);
    others.put(part.cta, joint);
  }

  private boolean covers(VectorClock other) {
    for (int i = 0; i < warps.length; i++) if (warps[i] < other.warps[i]) return false;
    for (int i = 0; i < other.lanes.length; i++) {
      if (time(i / Warp.LANES, i % Warp.LANES) < other.lanes[i]) return false;
    }
    return true;
  }

  private void max(VectorClock other) {
    for (int i = 0; i < warps.length; i++) warps[i] = Math.max(warps[i], other.warps[i]);
    if (other.lanes.length == 0) return;
    var mine = lanesOf();
    for (int i = 0; i < mine.length; i++) mine[i] = Math.max(mine[i], other.lanes[i]);
  }
}
