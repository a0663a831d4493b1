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

  /** What is left, at least a millisecond, for waits where 0 means for ever. */
  int leftMillis() {
    return (int) Math.clamp(leftNanos() / 1_000_000, 1, Integer.MAX_VALUE);
  }
}
