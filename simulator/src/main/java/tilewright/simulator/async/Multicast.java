package tilewright.simulator.async;

import java.util.ArrayList;
import java.util.List;
import tilewright.simulator.core.BulkOperands;
import tilewright.simulator.core.Issuer;

/** The CTAs that a bulk copy goes to, and the mbarriers that it signals there. */
final class Multicast {
  private Multicast() {}

  /**
   * The targets of a copy whose destination is held and whose mbarrier is at {@code Warp.offsets}.
   *
   * @param several whether a mask of CTAs says where it goes, to the same offset in each
   * @param pair whether the mbarrier may be that of the other CTA of a destination's pair ({@code .cta_group::2})
   */
  static List<ToShared.Target> targets(Issuer issuer, boolean several, boolean pair) {
    var w = issuer.warp();
    int lane = issuer.lane();
    int offset = w.held[lane];
    int mbarrier = w.offsets[lane];
    var owner = w.heldOwners[lane];
    var signalled = w.owners[lane];
    if (!several) {
      boolean near = pair ? owner.rank >> 1 == signalled.rank >> 1 : owner == signalled;
      if (!near) {
        throw issuer.invalid(mbarrier, "copies to rank " + owner.rank + " but names an mbarrier of rank "
            + signalled.rank + "; it must be of " + (pair ? "that block or the other of its pair" : "the same block"));
      }
      return List.of(new ToShared.Target(owner, offset, signalled, mbarrier));
    }
    var ctas = w.cta.cluster.ctas;
    var targets = new ArrayList<ToShared.Target>();
    int mask = w.bulk.value(BulkOperands.CTAS, lane) & 0xFFFF;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int rank = Integer.numberOfTrailingZeros(rest);
      if (rank >= ctas.length) {
        throw issuer.invalid(mask, "multicasts to rank " + rank + ", but its cluster has " + ctas.length
            + " blocks; clear that bit of the mask 0x" + Integer.toHexString(mask));
      }
      var cta = w.cta.cluster.alive(rank, w, lane, issuer.site());
      int signalledRank = pair ? rank & ~1 | signalled.rank & 1 : rank;
      targets.add(new ToShared.Target(cta, offset, w.cta.cluster.alive(signalledRank, w, lane, issuer.site()),
          mbarrier));
    }
    return targets;
  }
}
