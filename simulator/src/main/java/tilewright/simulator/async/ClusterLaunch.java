package tilewright.simulator.async;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sync.Mbarriers;

/**
 * Cluster launch control (PTX ISA, clusterlaunchcontrol): a cluster takes over the work of one that has not been
 * launched yet. The answer is 16 bytes in shared memory: whether there was one, and where its first CTA would have
 * been.
 */
public final class ClusterLaunch {
  private static final int BYTES = 16;
  private static final String FIX = "wait for the phase of the mbarrier that the answer completes on";
  /** One in so many requests is refused although clusters are left: the hardware may have begun to launch them. */
  private static final int ONE_REFUSED_IN = 8;

  private ClusterLaunch() {}

  private record Request(Warp warp, int lane, int answer, int mbarrier, boolean multicast,
      Map<Cta, AsyncAccess> accesses, int site) implements AsyncOperation {
    @Override
    public void complete() {
      var cluster = warp.cta.cluster;
      boolean refused = cluster.random().nextInt(ONE_REFUSED_IN) == 0;
      var taken = refused ? OptionalLong.empty() : cluster.state.takeCluster();
      for (var cta : cluster.ctas) {
        if (multicast || cta == warp.cta) cluster.async.issue(new Answer(this, cta, taken));
      }
    }

    @Override
    public String describe() {
      return "a request to cancel a cluster's launch by " + warp.who(lane) + warp.cta.at(site);
    }
  }

  private record Answer(Request request, Cta to, OptionalLong taken) implements AsyncOperation {
    @Override
    public void complete() {
      var w = request.warp;
      if (to.finished()) {
        throw new Fault(Kind.INVALID_OPERATION, request.site, request.lane, request.answer, w.who(request.lane)
            + "'s request is answered to block " + to.position + " only after that has exited").by(w);
      }
      long low = 0;
      long high = 0;
      if (taken.isPresent()) {
        var first = to.state.grid.blockAt(taken.getAsLong(), 0);
        low = 1 | (long) first.x() << Integer.SIZE;
        high = first.y() | (long) first.z() << Integer.SIZE;
      }
      Moves.LONG.set(to.shared, request.answer, low);
      Moves.LONG.set(to.shared, request.answer + Long.BYTES, high);
      var access = request.accesses.get(to);
      if (access != null) Mbarriers.of(to).completes(request.mbarrier, access);
      Mbarriers.of(to).complete(w, request.lane, request.mbarrier, BYTES, null, request.site);
    }

    @Override
    public int site() {
      return request.site;
    }

    @Override
    public String describe() {
      return "the answer to " + request.describe();
    }
  }

  /** {@code try_cancel}: the answer's place was held, the mbarrier resolved last. */
  public static void tryCancel(Warp w, int mask, int multicast, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var cluster = w.cta.cluster;
      if (cluster.sawRefusal) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, 0, w.who(lane)
            + " asks for a further cluster after it was seen that an earlier request had failed");
      }
      var accesses = new HashMap<Cta, AsyncAccess>();
      for (var cta : cluster.ctas) {
        if (multicast == 0 && cta != w.cta) continue;
        requireMbarrier(cta, w, lane, site);
        if (!w.cta.state.sanitize) continue;
        Mbarriers.of(cta).checkReady(w, lane, w.offsets[lane], site);
        var access = Sanitizer.of(w.cta).begin(FIX);
        Sanitizer.of(w.cta).async().write(new Issuer(w, lane, site), access, cta, w.held[lane], BYTES);
        accesses.put(cta, access);
      }
      cluster.async.issue(new Request(w, lane, w.held[lane], w.offsets[lane], multicast != 0, accesses, site));
    }
  }

  private static void requireMbarrier(Cta cta, Warp w, int lane, int site) {
    if (Mbarriers.of(cta).exists(w.offsets[lane])) return;
    throw new Fault(Kind.INVALID_OPERATION, site, lane, w.offsets[lane], w.who(lane)
        + " names an mbarrier that was not initialised, at shared memory + " + w.offsets[lane] + " of block "
        + cta.position);
  }

  /** {@code query_cancel.is_canceled}, of the lower half of an answer. */
  public static int isCanceled(Warp w, int mask, long[] low) {
    int lanes = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      if ((low[lane] & 1) != 0) lanes |= 1 << lane;
    }
    if (lanes != mask) w.cta.cluster.sawRefusal = true;
    return lanes;
  }

  /** {@code query_cancel.get_first_ctaid}, by axis; undefined for an answer that says no. */
  public static int firstCta(long low, long high, int axis) {
    if ((low & 1) == 0) return -1;
    return axis == 0 ? (int) (low >>> Integer.SIZE) : axis == 1 ? (int) high : (int) (high >>> Integer.SIZE);
  }
}
