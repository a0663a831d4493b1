package tilewright.async.collective;

import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * Lets warpgroups do something one after the other, round and round (CUTLASS, OrderedSequenceBarrier). Consumers of one
 * ring need it where each has tiles of its own: a stage's parity tells the present phase from the last one, but not
 * from those before.
 */
public final class OrderedSequence {
  private final Scope k;
  private final int groups;
  private final I32 barriers;

  private OrderedSequence(Scope k, int groups, I32 barriers) {
    this.k = k;
    this.groups = groups;
    this.barriers = barriers;
  }

  /**
   * Reserves a barrier for each warpgroup and has one thread initialise them; {@link Mbarrier#publish} follows.
   *
   * @param first true for that thread
   * @param groups warpgroups that take turns; a single one never waits
   */
  public static OrderedSequence of(Scope k, Pred first, int groups) {
    if (groups == 1) return new OrderedSequence(k, groups, k.constant(0));
    var sequence = new OrderedSequence(k, groups, k.sharedBytes(groups * Mbarrier.BYTES));
    k.when(first, () -> {
      for (int group = 0; group < groups; group++) sequence.barrier(k.constant(group)).initialise(Warpgroup.SIZE);
    });
    return sequence;
  }

  /** The turn of a warpgroup that shares with no other. */
  public static Turn alone(Scope k) {
    return new OrderedSequence(k, 1, k.constant(0)).of(k.constant(0));
  }

  private Mbarrier barrier(I32 group) {
    return new Mbarrier(k, barriers.plus(group.times(Mbarrier.BYTES)));
  }

  /** The turn of a warpgroup; that of number 0 begins. */
  public Turn of(I32 group) {
    return new Turn(group);
  }

  /** One warpgroup's turn. */
  public final class Turn implements OrderedSequenceBarrier {
    private final I32 group;
    private final I32.Variable parity;

    private Turn(I32 group) {
      this.group = group;
      this.parity = k.variable(k.constant(1).where(group.equalTo(0), 0), 1);
    }

    /** The number of turns before this warpgroup's first. */
    public I32 before() {
      return groups == 1 ? k.constant(0) : group;
    }

    /** The number of other warpgroups' turns between two of this one's. */
    public int between() {
      return groups - 1;
    }

    /** The number of turns until this warpgroup has its next. */
    public int round() {
      return groups;
    }

    @Override
    public void await() {
      if (groups == 1) return;
      barrier(group).await(parity.value());
      parity.set(parity.value().xor(k.constant(1)));
    }

    @Override
    public void pass() {
      if (groups > 1) barrier(group.plus(1).modulo(groups)).arrive();
    }
  }
}
