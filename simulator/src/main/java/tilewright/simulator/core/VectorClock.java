package tilewright.simulator.core;

import java.util.Arrays;

/** For each warp of a CTA, how much of what it did is known here (happens-before). */
final class VectorClock {
  private final int[] time;

  VectorClock(int warps) {
    time = new int[warps];
  }

  int of(int warp) {
    return time[warp];
  }

  void clear() {
    Arrays.fill(time, 0);
  }

  void advance(int warp) {
    time[warp]++;
  }

  void join(VectorClock other) {
    for (int i = 0; i < time.length; i++) time[i] = Math.max(time[i], other.time[i]);
  }
}
