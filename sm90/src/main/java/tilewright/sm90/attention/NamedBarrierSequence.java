package tilewright.sm90.attention;

import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.OrderedSequenceBarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * Lets warpgroups issue MMAs one after the other, so that one's softmax overlaps another's MMAs (FlashAttention-3,
 * ping-pong scheduling). Each has a named barrier, at which it waits and the one before it arrives. The turn that is
 * left over at the end is nobody's.
 *
 * @param first number of the first warpgroup's barrier
 * @param group this warpgroup
 * @param groups warpgroups that take turns; a single one never waits
 */
record NamedBarrierSequence(Scope k, int first, I32 group, int groups)
    implements OrderedSequenceBarrier {
  private static final int THREADS = 2 * Warpgroup.SIZE;

  /** Gives the first warpgroup its first turn. */
  void begin() {
    if (groups > 1) k.when(group.equalTo(groups - 1), () -> k.arrive(k.constant(first), THREADS));
  }

  @Override
  public void await() {
    if (groups > 1) k.barrier(group.plus(first), THREADS);
  }

  @Override
  public void pass() {
    if (groups > 1) k.arrive(group.plus(1).where(group.lessThan(groups - 1), 0).plus(first), THREADS);
  }
}
