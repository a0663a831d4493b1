package tilewright.ops.collectives;

import java.time.Duration;

/** The moment at which a wait ends. */
record Deadline(long nanoTime) {
  static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  boolean isOver() {
    return leftNanos() <= 0;
  }

  long leftNanos() {
    return nanoTime - System.nanoTime();
  }

  /** Returns the time left, at least a millisecond: 0 would mean for ever. */
  int leftMillis() {
    return (int) Math.clamp(leftNanos() / 1_000_000, 1, Integer.MAX_VALUE);
  }
}
