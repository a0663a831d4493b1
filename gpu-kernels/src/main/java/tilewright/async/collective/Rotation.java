package tilewright.async.collective;

import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * Has warpgroups do something one after the other, and round again (CUTLASS, OrderedSequenceBarrier). Consumers of one
 * ring need it where each takes other tiles: a stage's parity tells the present phase from the last, not from those
 * before.
 */
public final class Rotation {
  private final Scope k;
  private final int groups;
  private final I32 barriers;

  private Rotation(Scope k, int groups, I32 barriers) {
    this.k = k;
    this.groups = groups;
    this.barriers = barriers;
  }

  /**
   * Sets a barrier a warpgroup aside and has one thread initialise them; {@link Mbarrier#publish} follows.
   *
   * @param first true for that thread
   * @param groups that take turns; one never waits
   */
  public static Rotation of(Scope k, Pred first, int groups) {
    if (groups == 1) return new Rotation(k, groups, k.constant(0));
    var rotation = new Rotation(k, groups, k.sharedBytes(groups * Mbarrier.BYTES));
    k.when(first, () -> {
      for (int group = 0; group < groups; group++) rotation.barrier(k.constant(group)).initialise(Warpgroup.SIZE);
    });
    return rotation;
  }

  /** The view of a warpgroup that takes all turns. */
  public static Turn alone(Scope k) {
    return new Rotation(k, 1, k.constant(0)).of(k.constant(0));
  }

  private Mbarrier barrier(I32 group) {
    return new Mbarrier(k, barriers.plus(group.times(Mbarrier.BYTES)));
  }

  /** A warpgroup's view; the one of number 0 begins. */
  public Turn of(I32 group) {
    return new Turn(group);
  }

  /** When a warpgroup's turn is. */
  public final class Turn {
    private final I32 group;
    private final I32Variable parity;

    private Turn(I32 group) {
      this.group = group;
      this.parity = k.variable(k.constant(1).where(group.equalTo(0), 0), 1);
    }

    /** How many turns come before this warpgroup's first. */
    public I32 before() {
      return groups == 1 ? k.constant(0) : group;
    }

    /** How many turns of others lie between two of this one's. */
    public int between() {
      return groups - 1;
    }

    /** Rotation until all have had one. */
    public int round() {
      return groups;
    }

    public void await() {
      if (groups == 1) return;
      barrier(group).await(parity.value());
      parity.set(parity.value().xor(k.constant(1)));
    }

    public void pass() {
      if (groups > 1) barrier(group.plus(1).modulo(groups)).arrive();
    }
  }
}
