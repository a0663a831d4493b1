package tilewright.simulator.sync;

import java.util.Optional;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.AsyncQueue;
import tilewright.simulator.sanitizer.Epoch;
import tilewright.simulator.sanitizer.ProxyFences;
import tilewright.simulator.sanitizer.Sanitizer;

/** The sanitizer's knowledge of one mbarrier: who initialised it, and which asynchronous operations complete there. */
final class MbarrierWatch {
  /** By parity, a phase cannot be told from the one before the last. */
  private static final int TURN = 2;

  private final Cta owner;
  private final int offset;
  /** The queue of the operations that complete here, by phase. */
  private final AsyncQueue queue;
  private final long initialisation;
  private final int site;
  /** The access by which {@code fence.mbarrier_init} made the initialisation known. */
  private Optional<AsyncAccess> fence = Optional.empty();

  MbarrierWatch(Warp w, int lane, int site) {
    owner = w.cta;
    offset = w.offsets[lane];
    this.site = site;
    queue = Sanitizer.of(owner).causality().queue();
    initialisation = Epoch.of(Sanitizer.of(owner).causality().base(w, MemoryOrder.Scope.NONE), lane, 0xF);
  }

  AsyncQueue queue() {
    return queue;
  }

  /** A lane executes {@code fence.mbarrier_init}: if it initialised this, that is known to who knows the access. */
  void fence(Warp w, int lane, AsyncAccess access) {
    if (fence.isEmpty() && isBy(w, lane)) fence = Optional.of(access);
  }

  private boolean isBy(Warp w, int lane) {
    return w.cta == owner && Epoch.warp(initialisation) == w.index && Epoch.lane(initialisation) == lane;
  }

  /** A lane uses it: it must know of the initialisation. */
  void checkInitialised(Warp w, int lane, int user) {
    if (isBy(w, lane) || isFenced(w, lane) || Sanitizer.of(w.cta).causality().knows(w, lane, initialisation)) return;
    Sanitizer.of(w.cta).report().uninitialisedBarrier(w, lane, owner, offset, user, initialisation, site, w.cta == owner
        ? "a barrier (bar.sync) behind the initialisation"
        : "fence.mbarrier_init.release.cluster behind the initialisation, then barrier.cluster");
  }

  private boolean isFenced(Warp w, int lane) {
    return fence.isPresent() && fence.get().isKnown(Sanitizer.of(w.cta).causality(), w, lane);
  }

  /** A lane issues an asynchronous operation that completes here: that must be fit for the asynchronous proxy. */
  void checkReady(Warp w, int lane, int user) {
    if (isFenced(w, lane) || Sanitizer.of(owner).causality().isProxied(initialisation, w, lane,
        ProxyFences.SHARED)) return;
    Sanitizer.of(w.cta).report().uninitialisedBarrier(w, lane, owner, offset, user, initialisation, site,
        "fence.mbarrier_init.release.cluster (or fence.proxy.async) behind the initialisation, in the same thread, "
        + "then a barrier");
  }

  /** A lane passes a wait by parity when so many phases are over: it must know of all but the last two. */
  void checkPhase(Warp w, int lane, long over, int user) {
    int known = Sanitizer.of(w.cta).causality().completed(w, lane, queue);
    if (over - known <= TURN) return;
    w.cta.state.findings.add(new Findings.Report(Kind.PHASE_MISSED, user, w.cta, w.thread(lane), offset,
        Kind.PHASE_MISSED.fix()), () -> w.who(lane) + " passes phase " + (over - 1) + " of the mbarrier "
        + w.cta.places.of(AddressSpace.SHARED_WINDOW + offset) + " by its parity, but knows of "
        + (known == 0 ? "no earlier phase" : "none after phase " + (known - 1))
        + " that it is over: it cannot tell phase " + (over - 1) + " from phase " + (over - 1 - TURN));
  }
}
