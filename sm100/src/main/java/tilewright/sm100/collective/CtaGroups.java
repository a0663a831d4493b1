package tilewright.sm100.collective;

import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.TensorCopy;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.PairCopy;
import tilewright.sm100.atom.TensorCommit;

/**
 * The groups of CTAs of a cluster that multiply together, each one CTA or a pair of neighbours, of which the first
 * multiplies for both.
 *
 * @param rank of this CTA in its cluster
 * @param ctas of a group: 1 or 2
 * @param blocks of the cluster
 */
public record CtaGroups(Scope k, I32 rank, int ctas, int blocks) {

  /** Groups of the cluster. */
  public int count() {
    return blocks / ctas;
  }

  /** This CTA's group. */
  public I32 group() {
    return rank.dividedBy(ctas);
  }

  /** This CTA's place in its group. */
  public I32 member() {
    return rank.modulo(ctas);
  }

  /** Whether this CTA is its group's first. */
  public Pred isFirst() {
    return member().equalTo(0);
  }

  /** The barrier at which a group counts the bytes that land in the memory of all its CTAs. */
  public Mbarrier landing(Mbarrier own) {
    return ctas == 1 ? own : PairCopy.ofFirst(own);
  }

  /** How a box for this CTA alone is copied. */
  public TensorTile.Fill load(Mbarrier landing) {
    return (box, source, at) -> {
      if (ctas == 1) TensorCopy.load(k, box, source, landing, at);
      else PairCopy.load(k, box, source, landing, at);
    };
  }

  /** How a box is copied that the same member of every group needs. */
  public TensorTile.Fill loadForAll(Mbarrier landing) {
    if (count() == 1) return load(landing);
    return (box, source, at) -> {
      if (ctas == 1) TensorCopy.multicast(k, box, source, landing, narrowed(mask(1)), at);
      else PairCopy.multicast(k, box, source, landing, shifted(mask(2), member()), at);
    };
  }

  /** A bit for every so manieth block of the cluster. */
  private int mask(int step) {
    int mask = 0;
    for (int block = 0; block < blocks; block += step) mask |= 1 << block;
    return mask;
  }

  /** Arrives at all CTAs of the cluster once everything that this thread has issued is over. */
  public void commitToAll(Mbarrier barrier) {
    if (blocks == 1) TensorCommit.arrive(k, ctas, barrier);
    else TensorCommit.multicast(k, ctas, barrier, k.constant(mask(1)));
  }

  /** Arrives at the CTAs of this group once everything that this thread has issued is over. */
  public void commitToGroup(Mbarrier barrier) {
    if (ctas == 1) TensorCommit.arrive(k, ctas, barrier);
    else TensorCommit.multicast(k, ctas, barrier, shifted(0b11, rank.minus(member())));
  }

  /** Arrives at the barrier of the group's first CTA. */
  public void arriveAtFirst(Mbarrier barrier) {
    if (ctas == 1) barrier.arrive();
    else barrier.arriveAt(rank.minus(member()));
  }

  /** Arrives there, and publishes to it what this thread has written, or has seen written. */
  public void releaseToFirst(Mbarrier barrier) {
    barrier.releaseAt(rank.minus(member()));
  }

  private Operand.Register narrowed(int bits) {
    var register = k.newRegister(PtxType.B16);
    k.emit("mov.b16", register, new Operand.Integer(bits));
    return register;
  }

  private I32 shifted(int mask, I32 bits) {
    var result = k.newRegister(PtxType.B32);
    k.emit("shl.b32", result, new Operand.Integer(mask), bits.operand());
    return k.result(result, 0xFFFF);
  }
}
