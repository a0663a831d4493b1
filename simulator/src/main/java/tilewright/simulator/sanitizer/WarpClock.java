package tilewright.simulator.sanitizer;

import tilewright.simulator.core.Warp;

/** The knowledge of one warp's lanes: all of them together, and what single lanes know beyond that. */
final class WarpClock {
  private final int cta;
  private final int warps;
  private final VectorClock all;
  private final VectorClock[] lanes = new VectorClock[Warp.LANES];
  private boolean single;

  WarpClock(int cta, int warps) {
    this.cta = cta;
    this.warps = warps;
    all = VectorClock.ofCta(cta, warps);
  }

  boolean knows(int lane, long epoch) {
    return all.knows(epoch) || single && lanes[lane] != null && lanes[lane].knows(epoch);
  }

  /** Whether a lane knows of anything that another CTA did. */
  boolean knowsOf(int lane, int number) {
    return all.knowsOf(number) || single && lanes[lane] != null && lanes[lane].knowsOf(number);
  }

  /** Some lanes, of those that live, learn what a clock knows. */
  void learn(int mask, int live, VectorClock clock) {
    if ((live & ~mask) == 0) {
      all.join(clock);
      return;
    }
    single = true;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (lanes[lane] == null) lanes[lane] = VectorClock.ofCta(cta, warps);
      lanes[lane].join(clock);
    }
  }

  /** The number up to which a lane knows a queue's operations to be complete. */
  int completed(int lane, AsyncQueue queue) {
    int number = all.completed(queue);
    return single && lanes[lane] != null ? Math.max(number, lanes[lane].completed(queue)) : number;
  }

  /** Tells a clock what some lanes know of asynchronous operations. */
  void tellOperations(int mask, VectorClock clock) {
    clock.joinOperations(all);
    if (!single) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      var lane = lanes[Integer.numberOfTrailingZeros(rest)];
      if (lane != null) clock.joinOperations(lane);
    }
  }

  /** Tells a clock what some lanes know. */
  void tell(int mask, VectorClock clock) {
    clock.join(all);
    if (!single) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      var lane = lanes[Integer.numberOfTrailingZeros(rest)];
      if (lane != null) clock.join(lane);
    }
  }

  /** All living lanes tell each other what they know. */
  void unite(int live) {
    if (!single) return;
    tell(live, all);
    java.util.Arrays.fill(lanes, null);
    single = false;
  }

  /** The warp's own past becomes known to all its lanes. */
  void reach(int warp, int time) {
    all.reach(warp, time);
  }
}
