package tilewright.simulator.machine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import tilewright.simulator.core.Cluster;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.profile.LaunchProfile;
import tilewright.simulator.sanitizer.ClusterHistory;
import tilewright.simulator.sanitizer.LaunchHistory;
import tilewright.simulator.sync.ClusterBarrier;
import tilewright.simulator.tcgen05.TensorMemory;

/** Runs one cluster after the other on one thread: its warps take turns in a seeded order. */
final class ClusterRunner {
  private static final int LONGEST_TURN = 24;
  private static final int FLUSH = 1 << 16;
  /** How often waits for mbarriers run out of time, with nothing happening in between, before that is a deadlock. */
  private static final int PATIENCE = 1 << 6;

  private final Cluster cluster;
  private final ClusterBarrier barrier;
  private final ClusterHistory history;
  /** By rank of their CTAs. */
  private final WarpRunner[] runners;
  private final Warp[] candidates;
  private long executed;
  private int round;
  /** Blocks of code that every warp runs in this round. */
  private int turn;

  ClusterRunner(LaunchState state, LaunchProfile profile, LaunchHistory launch) {
    cluster = new Cluster(state);
    barrier = new ClusterBarrier(cluster.warps);
    history = new ClusterHistory(cluster, launch);
    runners = new WarpRunner[cluster.ctas.length];
    candidates = new Warp[cluster.warps.length];
    cluster.populate(rank -> {
      var cta = new RunningCta(cluster, rank, barrier, history, profile);
      runners[rank] = new WarpRunner(cta);
      return cta;
    });
  }

  Cluster cluster() {
    return cluster;
  }

  /** Begins with the cluster of that number. */
  void reset(long number) {
    cluster.reset(number);
    history.reset();
    round = 0;
    beginRound();
    barrier.reset();
    for (var cta : cluster.ctas) cta.reset(cluster.state.grid.blockAt(number, cta.rank));
  }

  /** Waits for mbarriers need not last: when nothing else can happen they end in vain. Returns whether any did. */
  boolean timeOut() {
    boolean any = false;
    for (var w : cluster.warps) {
      for (var g : w.groups) {
        if (g.state != LaneGroup.State.AT_MBARRIER) continue;
        g.state = LaneGroup.State.RUNNING;
        g.timedOut = true;
        any = true;
      }
    }
    return any;
  }

  boolean finished() {
    for (var w : cluster.warps) if (!w.finished()) return false;
    return true;
  }

  private void beginRound() {
    round++;
    turn = 1 + cluster.random().nextInt(LONGEST_TURN);
    cluster.async.advance(turn);
  }

  /**
   * Finds the warps that may run next: those that have not run yet in this round. In a round all go equally far, so
   * that none is left behind for long: hardware does not do that either, and kernels wait for phases by parity, which
   * cannot tell a waiter that has missed two.
   */
  private int candidates() {
    int n = 0;
    int runnable = 0;
    for (var w : cluster.warps) {
      if (!w.runnable()) continue;
      runnable++;
      if (w.round != round) candidates[n++] = w;
    }
    if (n > 0 || runnable == 0) return n;
    beginRound();
    for (var w : cluster.warps) if (w.runnable()) candidates[n++] = w;
    return n;
  }

  /** Runs until all threads have exited or the turns are used up; returns whether they have exited. */
  boolean run(int turns) {
    while (turns-- > 0) {
      int n = candidates();
      if (n == 0 && !cluster.async.pending()) {
        if (finished()) {
          finish();
          return true;
        }
        if (cluster.countTimeout() < PATIENCE && timeOut()) continue;
        throw StuckReport.of(cluster);
      }
      if (n == 0) {
        cluster.async.completeOne();
      } else if (!cluster.async.completeIfDue()) {
        var chosen = candidates[cluster.random().nextInt(n)];
        chosen.round = round;
        run(chosen, runner -> runner.run(chosen, turn));
        if (executed > FLUSH) flush();
      }
    }
    return false;
  }

  private void run(Warp w, Consumer<WarpRunner> turn) {
    cluster.running = w;
    w.cta.started = true;
    var runner = runners[w.cta.rank];
    turn.accept(runner);
    cluster.running = null;
    executed += runner.takeExecuted();
  }

  /** Runs a warp that can go on to the next point where it synchronises with others. */
  void step(Warp w) {
    if (!w.cta.started) {
      cluster.state.trace.ifPresent(t -> t.uses(SyncObject.start(w.cta), SyncTrace.Use.ARRIVE, 0, true));
    }
    run(w, runner -> runner.step(w));
    flush();
  }

  /**
   * Runs each warp by itself, and says where those that can go on ask again and again; empty if one does anything else.
   *
   * @param memory names what they ask for
   */
  Optional<List<Standstill.Poll>> polls(GroupMemory memory, String fix) {
    if (cluster.async.pending()) return Optional.empty();
    var polls = new ArrayList<Standstill.Poll>();
    for (var w : cluster.warps) {
      if (!w.runnable()) continue;
      var sites = new AtomicReference<>(Optional.<BitSet>empty());
      run(w, runner -> sites.set(runner.repeat(w)));
      if (sites.get().isEmpty()) return Optional.empty();
      polls.add(poll(w, sites.get().get(), memory, fix));
    }
    return Optional.of(polls);
  }

  private Standstill.Poll poll(Warp w, BitSet sites, GroupMemory memory, String fix) {
    var all = w.cta.kernel.sites();
    int site = sites.stream().filter(s -> all.get(s).order().strong()).findFirst().orElse(sites.nextSetBit(0));
    int lane = Integer.numberOfTrailingZeros(w.current.mask);
    var base = w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
    int offset = w.offsets[lane];
    var place = memory.name(base).map(name -> " for " + w.cta.places.of(memory.address(name) + offset) + " (now 0x"
        + Integer.toHexString((int) Moves.INT.get(base, offset & -Integer.BYTES)) + ")").orElse("");
    return new Standstill.Poll(Standstill.of(site, w, lane, offset, fix), w.who(lane) + " asks again and again"
        + w.cta.at(site) + place + ", and no device can go on" + StuckReport.waits(cluster));
  }

  /** All threads have exited. */
  void finish() {
    for (var cta : cluster.ctas) TensorMemory.of(cta).finish();
  }

  /** Adds what was executed to the launch's count. */
  void flush() {
    long n = executed;
    executed = 0;
    try {
      cluster.state.executed(n);
    } catch (Fault limit) {
      throw StuckReport.stopped(limit, cluster);
    }
  }
}
