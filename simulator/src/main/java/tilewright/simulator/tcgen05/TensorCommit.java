package tilewright.simulator.tcgen05;

import java.util.List;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.SyncClock;
import tilewright.simulator.sync.Mbarriers;
import tilewright.simulator.tmem.TmemAddress;

/**
 * {@code tcgen05.commit} (PTX ISA): one arrival at an mbarrier, or at those of several CTAs, when what the thread has
 * issued before is done.
 */
public final class TensorCommit {
  private static final int HALF_MASK = 0xFFFF;

  private TensorCommit() {}

  /** One arrival. */
  private record Arrival(Warp warp, int lane, Cta owner, int offset, int site, List<TensorOperation> tracked,
      SyncClock clock) implements AsyncOperation {
    @Override
    public boolean ready() {
      for (var op : tracked) if (TensorMemory.of(op.group[0]).pipeline.contains(op)) return false;
      return true;
    }

    @Override
    public void complete() {
      Mbarriers.of(owner).arrive(warp, lane, offset, clock, site);
    }

    @Override
    public String describe() {
      return "the arrival of a tcgen05.commit by " + warp.who(lane) + warp.cta.at(site);
    }
  }

  /** The mbarrier is in {@link Warp#offsets} and {@link Warp#owners}. */
  public static void commit(Warp w, int mask, int ctas, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var owner = w.owners[lane];
      if (owner == null) throw TensorAllocation.fault(w, lane, site, "commits to an mbarrier outside shared memory");
      arrive(w, lane, owner, ctas, site);
    }
  }

  /** Commits to the mbarriers at one offset in all CTAs of a mask. */
  public static void multicast(Warp w, int mask, int[] ranks, int ctas, int site) {
    var all = w.cta.cluster.ctas;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int targets = ranks[lane] & HALF_MASK;
      if (targets >>> all.length != 0) {
        throw TensorAllocation.fault(w, lane, site, "commits to the CTAs of mask 0x" + Integer.toHexString(targets)
            + " in a cluster of " + all.length);
      }
      for (var cta : all) if ((targets >>> cta.rank & 1) != 0) arrive(w, lane, cta, ctas, site);
    }
  }

  private static void arrive(Warp w, int lane, Cta owner, int ctas, int site) {
    TensorMemory.of(w.cta).require(ctas, w, lane, site);
    var group = TensorAllocation.group(w, lane, ctas, site);
    var tracked = TensorMemory.of(group[0]).pipeline.stream().filter(op -> op.isOf(w, lane)).toList();
    var clock = w.cta.state.sanitize ? Sanitizer.of(w.cta).snapshot(w, lane) : null;
    if (clock != null) {
      var order = TensorWatch.of(w.cta).order(w);
      order.commit(clock.tensor);
      clock.known.complete(TensorWatch.of(w.cta).queue(w), order.issued());
    }
    w.cta.cluster.async.issue(new Arrival(w, lane, owner, w.offsets[lane], site, tracked, clock));
  }

  /** A place that an instruction names, or a fault. */
  static TmemAddress address(Warp w, int lane, int bits, boolean selector, int site) {
    try {
      return selector ? TmemAddress.withoutSelector(bits) : TmemAddress.of(bits);
    } catch (IllegalArgumentException e) {
      throw TensorAllocation.fault(w, lane, site, "names no place in tensor memory: " + e.getMessage());
    }
  }
}
