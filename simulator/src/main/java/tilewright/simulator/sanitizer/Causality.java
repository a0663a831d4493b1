package tilewright.simulator.sanitizer;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.MemoryOrder.Scope;
import tilewright.simulator.core.Warp;

/**
 * The order of the threads of one CTA with each other and with other CTAs: barriers, meetings of a warp's lanes, and
 * strong accesses to one place, with fences or orderings of their own (PTX ISA, causality order).
 */
public final class Causality {
  private final Cta owner;
  private final ClusterHistory history;
  private final int warps;
  private final boolean clustered;
  private final int[] now;
  private final WarpClock[] known;
  /** Beside what is known: reads that are over, although what their threads wrote need not be visible. */
  private final WarpClock[] reads;
  /** Beside what is known: reads of a warp's own lanes whose values have gone into an exchange among lanes. */
  private final WarpClock[] carried;
  private final Map<Scope, WarpClock[]> fenced = new EnumMap<>(Scope.class);
  /** The clocks that threads have observed by relaxed reads; a fence turns it into knowledge. */
  private final Map<Integer, VectorClock> observed = new HashMap<>();
  /** By address, what strong writes made known to threads of this CTA. */
  private final Map<Long, VectorClock> places = new HashMap<>();
  /** By warp, what is known of operations on Tensor Memory. */
  private final TensorOrder[] tensorOrders;
  private final ProxyFences proxyFences;
  private final ProxyFences tensorMapFences;
  /** By warp, the instruction of its latest fence. */
  private final int[] latestFence;
  private int cta;
  private int queues;

  Causality(Cta owner, ClusterHistory history) {
    this.owner = owner;
    this.history = history;
    warps = owner.warps.length;
    clustered = owner.cluster.ctas.length > 1;
    now = new int[warps];
    known = new WarpClock[warps];
    reads = new WarpClock[warps];
    carried = new WarpClock[warps];
    latestFence = new int[warps];
    tensorOrders = new TensorOrder[warps];
    proxyFences = new ProxyFences(warps);
    tensorMapFences = new ProxyFences(warps);
  }

  void reset() {
    cta = Epoch.cta(owner.number);
    Arrays.fill(now, 1);
    Arrays.fill(latestFence, Fault.NO_SITE);
    for (int w = 0; w < warps; w++) {
      known[w] = new WarpClock(cta, warps);
      reads[w] = new WarpClock(cta, warps);
      carried[w] = new WarpClock(cta, warps);
      if (tensorOrders[w] == null) {
        tensorOrders[w] = new TensorOrder(owner.warps[w].number(), owner.cluster.ctas.length * warps);
      }
      tensorOrders[w].reset();
    }
    fenced.clear();
    observed.clear();
    places.clear();
    proxyFences.reset();
    tensorMapFences.reset();
    queues = 0;
  }

  /** The knowledge that a warp of the CTA has of operations on Tensor Memory. */
  public TensorOrder tensorOrder(Warp w) {
    return tensorOrders[w.index];
  }

  /** A queue of its own for some asynchronous operations. */
  public AsyncQueue queue() {
    return new AsyncQueue(cta, queues++);
  }

  /** The number up to which a lane knows a queue's operations to be complete. */
  public int completed(Warp w, int lane, AsyncQueue queue) {
    return Math.max(known[w.index].completed(lane, queue), reads[w.index].completed(lane, queue));
  }

  /** Some lanes have waited for a queue's operations up to a number. */
  public void complete(Warp w, int mask, AsyncQueue queue, int number) {
    var clock = VectorClock.ofCta(cta, warps);
    clock.complete(queue, number);
    known[w.index].learn(mask, w.live, clock);
  }

  /** Some lanes have waited for the grids before this one: for whoever knows of that they are over. */
  public void earlierGridsAwaited(Warp w, int mask) {
    known[w.index].learn(mask, w.live, VectorClock.ofEarlierGrids());
  }

  /** {@code fence.proxy.async}: what these lanes wrote is fit for asynchronous operations of whoever knows of this. */
  public void proxyFence(Warp w, int mask, int spaces) {
    proxyFences.add(w.index, mask, spaces, now[w.index]);
    tick(w);
  }

  /** Whether a lane of any CTA knows of a proxy fence for a space behind a write that a thread of this CTA made. */
  public boolean isProxied(long write, Warp w, int lane, int space) {
    return isFenced(write, w, lane, proxyFences, space);
  }

  /** {@code fence.proxy.tensormap::generic.release}: as {@link #proxyFence}, for what reads tensor maps. */
  void tensorMapFence(Warp w, int mask) {
    tensorMapFences.add(w.index, mask, ProxyFences.GLOBAL, now[w.index]);
    tick(w);
  }

  /** Like {@link #isProxied}, for reads of tensor maps. */
  boolean isReleasedAsTensorMap(long write, Warp w, int lane) {
    return isFenced(write, w, lane, tensorMapFences, ProxyFences.GLOBAL);
  }

  private boolean isFenced(long write, Warp w, int lane, ProxyFences fences, int space) {
    long fence = fences.after(write, space);
    boolean own = w.cta == owner && Epoch.warp(write) == w.index && Epoch.lane(write) == lane;
    return fence != 0 && (own || Sanitizer.of(w.cta).causality().knows(w, lane, fence));
  }

  public SyncClock clock() {
    return new SyncClock(cta, warps);
  }

  int now(Warp w) {
    return now[w.index];
  }

  public long base(Warp w, Scope scope) {
    return Epoch.base(cta, w.index, now[w.index], scope);
  }

  /** Whether an access comes before what the thread does now. */
  public boolean knows(Warp w, int lane, long epoch) {
    return known[w.index].knows(lane, epoch);
  }

  /** Whether a read comes before what the thread does now. */
  boolean knowsRead(Warp w, int lane, long epoch) {
    return knows(w, lane, epoch) || clustered && reads[w.index].knows(lane, epoch);
  }

  /** Whether the thread knows that another CTA has started: of anything that it did. */
  boolean knowsOf(Warp w, int lane, Cta other) {
    return known[w.index].knowsOf(lane, Epoch.cta(other.number))
        || reads[w.index].knowsOf(lane, Epoch.cta(other.number));
  }

  /** Makes known, to those who acquire the clock, all that some lanes did so far. */
  public void release(Warp w, int mask, SyncClock clock) {
    tensorOrder(w).tell(clock.tensor);
    tell(w, mask, clock.known);
    if (clustered) reads[w.index].tell(mask, clock.readsOnly);
    fenced.forEach((scope, byWarp) -> {
      if (byWarp[w.index] != null) byWarp[w.index].tell(mask, clock.fenced(scope));
    });
  }

  /** Like {@link #release}, to threads that the scope does not reach: they learn of reads only. */
  public void releaseReads(Warp w, int mask, SyncClock clock) {
    reads[w.index].tell(mask, clock.readsOnly);
    tell(w, mask, clock.readsOnly);
  }

  /**
   * Like {@link #release}, but relaxed: only what a fence made ready, and which asynchronous operations are complete.
   */
  public void releaseFenced(Warp w, int mask, Scope scope, SyncClock clock) {
    known[w.index].tellOperations(mask, clock.known);
    var byWarp = fenced.get(scope);
    if (byWarp != null && byWarp[w.index] != null) byWarp[w.index].tell(mask, clock.known);
  }

  public void acquire(Warp w, int mask, SyncClock clock) {
    tensorOrder(w).hear(clock.tensor);
    known[w.index].learn(mask, w.live, clock.known);
    if (clustered) reads[w.index].learn(mask, w.live, clock.readsOnly);
    clock.fenced().forEach((scope, c) -> fenced(scope, w).learn(mask, w.live, c));
  }

  /** Like {@link #acquire}, from threads that the scope does not reach. */
  public void acquireReads(Warp w, int mask, SyncClock clock) {
    reads[w.index].learn(mask, w.live, clock.known);
    reads[w.index].learn(mask, w.live, clock.readsOnly);
  }

  private void tell(Warp w, int mask, VectorClock clock) {
    known[w.index].tell(mask, clock);
    if (!clock.isOf(cta)) {
      var mine = VectorClock.ofCta(cta, warps);
      reach(w, mask, mine);
      clock.join(mine);
    } else {
      reach(w, mask, clock);
    }
    tick(w);
  }

  private void reach(Warp w, int mask, VectorClock clock) {
    if ((w.live & ~mask) == 0) {
      clock.reach(w.index, now[w.index]);
    } else {
      for (int rest = mask; rest != 0; rest &= rest - 1) {
        clock.reach(w.index, Integer.numberOfTrailingZeros(rest), now[w.index]);
      }
    }
  }

  private void tick(Warp w) {
    if (now[w.index] < Epoch.LATEST) now[w.index]++;
  }

  private WarpClock fenced(Scope scope, Warp w) {
    var byWarp = fenced.computeIfAbsent(scope, _ -> new WarpClock[warps]);
    if (byWarp[w.index] == null) byWarp[w.index] = new WarpClock(cta, warps);
    return byWarp[w.index];
  }

  /** {@code bar.warp.sync}. */
  public void meet(Warp w, int mask) {
    if ((w.live & ~mask) != 0) {
      var clock = clock();
      release(w, mask, clock);
      acquire(w, mask, clock);
      return;
    }
    known[w.index].unite(w.live);
    reads[w.index].unite(w.live);
    known[w.index].reach(w.index, now[w.index]);
    fenced.values().forEach(byWarp -> {
      if (byWarp[w.index] != null) byWarp[w.index].unite(w.live);
    });
    tick(w);
  }

  /**
   * Lanes exchange values that depend on reads: these are over for whoever takes part. Nothing becomes visible by that
   * (docs/decisions/exchanges-order-reads.adoc).
   */
  public void exchange(Warp w, int mask) {
    if ((w.live & ~mask) == 0) {
      carried[w.index].reach(w.index, now[w.index]);
    } else {
      var clock = VectorClock.ofCta(cta, warps);
      reach(w, mask, clock);
      carried[w.index].learn(mask, w.live, clock);
    }
    tick(w);
  }

  /** Whether a read of the same warp came before an exchange that the lane took part in. */
  boolean knowsCarried(Warp w, int lane, long read) {
    return carried[w.index].knows(lane, read);
  }

  public void fence(Warp w, int mask, MemoryOrder order, int site) {
    latestFence[w.index] = site;
    if (order.acquire() && !observed.isEmpty()) {
      for (int rest = mask; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        var clock = observed.remove(w.index * Warp.LANES + lane);
        if (clock != null) known[w.index].learn(1 << lane, w.live, clock);
      }
    }
    if (!order.release()) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var clock = VectorClock.ofCta(cta, warps);
      known[w.index].tell(1 << lane, clock);
      clock.reach(w.index, lane, now[w.index]);
      fenced(Scope.CTA, w).learn(1 << lane, w.live, clock);
      if (order.reachesCluster()) fenced(Scope.CLUSTER, w).learn(1 << lane, w.live, clock);
      if (order.reachesGpu()) fenced(Scope.GPU, w).learn(1 << lane, w.live, clock);
      if (order.reachesSystem()) fenced(Scope.SYS, w).learn(1 << lane, w.live, clock);
    }
    tick(w);
  }

  /** A strong write is about to be made: what it makes known depends on its own ordering and the fences before it. */
  void publish(Warp w, int lane, long address, MemoryOrder order, int site) {
    publish(w, lane, places, address, order, Scope.CTA);
    if (order.reachesCluster() && owner.cluster.ctas.length > 1) {
      publish(w, lane, history.published(), address, order, Scope.CLUSTER);
    }
    if (order.reachesGpu() && !AddressSpace.isShared(address)) {
      var all = history.launch().published();
      synchronized (all) {
        publish(w, lane, all, address, order, Scope.GPU);
      }
      publishToDevices(w, lane, address, order, site);
    }
    if (order.release()) tick(w);
  }

  /** Other devices hear only what is made known at scope .sys; the rest is kept to explain what they lack. */
  private void publishToDevices(Warp w, int lane, long address, MemoryOrder order, int site) {
    var system = history.launch().system();
    if (!system.spansDevices()) return;
    if (order.reachesSystem()) publish(w, lane, system.published(), address, order, Scope.SYS);
    if (order.reachesSystem() && (order.release() || latestFence[w.index] == Fault.NO_SITE)) return;
    var narrow = owner.kernel.sites().get(order.reachesSystem() ? latestFence[w.index] : site);
    if (narrow.order().reachesSystem()) return;
    told(w, lane, order, Scope.GPU).ifPresent(told -> system.releasedNarrowly(narrow, told));
  }

  /** A strong read has been made, of what was published before it at the latest. */
  void observe(Warp w, int lane, long address, MemoryOrder order, boolean atomic) {
    observe(w, lane, places.get(address), order, atomic);
    if (order.reachesCluster()) observe(w, lane, history.published().get(address), order, atomic);
    if (order.reachesGpu() && !AddressSpace.isShared(address)) {
      var all = history.launch().published();
      synchronized (all) {
        observe(w, lane, all.get(address), order, atomic);
      }
      if (order.reachesSystem()) {
        observe(w, lane, history.launch().system().published().get(address), order, atomic);
      }
    }
  }

  private void observe(Warp w, int lane, VectorClock clock, MemoryOrder order, boolean atomic) {
    if (clock == null) return;
    // The guide's programs trust a read-modify-write to come before what depends on it; so does this.
    if (order.acquire() || atomic) {
      known[w.index].learn(1 << lane, w.live, clock);
    } else {
      observed.computeIfAbsent(w.index * Warp.LANES + lane, _ -> VectorClock.ofCta(cta, warps)).join(clock);
    }
  }

  private void publish(Warp w, int lane, Map<Long, VectorClock> at, long address, MemoryOrder order, Scope scope) {
    // Who reads an older value may still be on its way, so what that made known is kept.
    told(w, lane, order, scope)
        .ifPresent(told -> at.computeIfAbsent(address, _ -> VectorClock.ofLaunch()).join(told));
  }

  /** The knowledge that a strong write makes known to threads of a scope, by itself or by a fence before it. */
  private Optional<VectorClock> told(Warp w, int lane, MemoryOrder order, Scope scope) {
    var told = VectorClock.ofCta(cta, warps);
    if (order.release()) {
      known[w.index].tell(1 << lane, told);
      told.reach(w.index, lane, now[w.index]);
      return Optional.of(told);
    }
    var byWarp = fenced.get(scope);
    if (byWarp == null || byWarp[w.index] == null) return Optional.empty();
    byWarp[w.index].tell(1 << lane, told);
    return Optional.of(told);
  }
}
