package tilewright.sm90.attention;

import tilewright.async.atom.Warpgroup;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * Warpgroups that issue products one after the other, round and round, so that one's softmax runs beside another's
 * products (FlashAttention-3, ping-pong scheduling). Each has a named barrier that it waits at and the one before it
 * arrives at. The turn that is left over at the end is nobody's.
 *
 * @param first the first one's barrier
 */
record Turns(Scope k, int first, I32 group, int groups) {
  private static final int THREADS = 2 * Warpgroup.SIZE;

  /** Gives the first warpgroup its first turn. */
  void begin() {
    if (groups > 1) k.when(group.equalTo(groups - 1), () -> k.arrive(k.constant(first), THREADS));
  }

  /** Waits for this warpgroup's turn. */
  void take() {
    if (groups > 1) k.barrier(group.plus(first), THREADS);
  }

  /** Gives the next one its turn. */
  void pass() {
    if (groups > 1) k.arrive(group.plus(1).where(group.lessThan(groups - 1), 0).plus(first), THREADS);
  }
}
