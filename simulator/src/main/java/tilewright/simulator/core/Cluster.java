package tilewright.simulator.core;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import tilewright.simulator.Finding.Kind;

/**
 * The CTAs of one cluster, and what they share: one seeded order in which their warps run, all on one thread, and one
 * engine for their asynchronous operations. Without clusters in the launch, each CTA is one of its own.
 */
final class Cluster {
  private static final int LONGEST_TURN = 24;
  private static final int FLUSH = 1 << 16;
  /** How often waits for mbarriers run out of time, with nothing happening in between, before that is a deadlock. */
  private static final int PATIENCE = 1 << 6;

  final LaunchState state;
  /** By rank. */
  final Cta[] ctas;
  final AsyncEngine async = new AsyncEngine();
  final ClusterBarrier barrier;
  /** What the engine's operations do to memory, for the sanitizer. */
  final AsyncAccesses accesses = new AsyncAccesses();
  long number;
  /** By address, what strong writes made known to all threads of the cluster. */
  final Map<Long, VectorClock> published = new HashMap<>();
  /** The warp that runs, for reports; null while none does. */
  Warp running;
  private SplittableRandom random = new SplittableRandom();
  private final Warp[] warps;
  private final Warp[] candidates;
  /** Whether a thread has seen that no cluster could be cancelled any more. */
  boolean sawRefusal;
  private long executed;
  private int timeouts;
  private int round;
  /** Blocks of code that every warp runs in this round. */
  private int turn;

  Cluster(LaunchState state) {
    this.state = state;
    ctas = new Cta[state.grid.size()];
    for (int rank = 0; rank < ctas.length; rank++) ctas[rank] = new Cta(this, rank);
    warps = Arrays.stream(ctas).flatMap(cta -> Arrays.stream(cta.warps)).toArray(Warp[]::new);
    barrier = new ClusterBarrier(warps);
    candidates = new Warp[warps.length];
  }

  /** Becomes the cluster of that number. */
  void reset(long number) {
    random = new SplittableRandom(state.seed * 0x9E3779B97F4A7C15L + number);
    async.reset(random);
    published.clear();
    accesses.reset();
    timeouts = 0;
    round = 0;
    beginRound();
    sawRefusal = false;
    barrier.reset();
    this.number = number;
    for (var cta : ctas) cta.reset(state.grid.blockAt(number, cta.rank));
  }

  SplittableRandom random() {
    return random;
  }

  /** The CTA of a rank, whose shared memory is about to be accessed: it must have begun and not ended. */
  Cta alive(int rank, Warp w, int lane, int site) {
    var owner = ctas[rank];
    if (owner != w.cta && (!owner.started || owner.finished())) {
      throw new Fault(Kind.INVALID_OPERATION, site, lane, 0, w.who(lane)
          + " accesses the shared memory of block " + owner.position + " of its cluster, which "
          + (owner.started ? "has exited: let it wait, such as by barrier.cluster, until its peers are done"
              : "has not started yet: wait for it first, such as by barrier.cluster"));
    }
    return owner;
  }

  /** Whether an access was made by a thread of this cluster. */
  boolean made(long epoch) {
    for (var cta : ctas) if (Epoch.cta(cta.number) == Epoch.ctaOf(epoch)) return true;
    return false;
  }

  /** What an epoch of an asynchronous operation stands for. */
  AsyncAccess access(long epoch) {
    return Epoch.isGlobal(epoch) ? state.globalAccesses.of(epoch) : accesses.of(epoch);
  }

  /** The warp of that number in the cluster. */
  Warp warp(int number) {
    return warps[number];
  }

  /** Something has happened that others may have waited for. */
  void progress() {
    timeouts = 0;
  }

  /** Waits for mbarriers need not last: when nothing else can happen they end in vain. Returns whether any did. */
  private boolean timeOut() {
    boolean any = false;
    for (var w : warps) {
      for (var g : w.groups) {
        if (g.state != LaneGroup.State.AT_MBARRIER) continue;
        g.state = LaneGroup.State.RUNNING;
        g.timedOut = true;
        any = true;
      }
    }
    return any;
  }

  private boolean finished() {
    for (var w : warps) if (!w.finished()) return false;
    return true;
  }

  private void beginRound() {
    round++;
    turn = 1 + random.nextInt(LONGEST_TURN);
    async.advance(turn);
  }

  /**
   * Finds the warps that may run next: those that have not run yet in this round. In a round all go equally far, so
   * that none is left behind for long: hardware does not do that either, and kernels wait for phases by parity, which
   * cannot tell a waiter that has missed two.
   */
  private int candidates() {
    int n = 0;
    int runnable = 0;
    for (var w : warps) {
      if (!w.runnable()) continue;
      runnable++;
      if (w.round != round) candidates[n++] = w;
    }
    if (n > 0 || runnable == 0) return n;
    beginRound();
    for (var w : warps) if (w.runnable()) candidates[n++] = w;
    return n;
  }

  /** Runs until all threads have exited or the turns are used up; returns whether they have exited. */
  boolean run(int turns) {
    while (turns-- > 0) {
      int n = candidates();
      if (n == 0 && !async.pending()) {
        if (finished()) {
          for (var cta : ctas) cta.tensor.finish();
          return true;
        }
        if (timeouts++ < PATIENCE && timeOut()) continue;
        throw StuckReport.of(this);
      }
      if (n == 0) {
        async.completeOne();
      } else if (!async.completeIfDue()) {
        running = candidates[random.nextInt(n)];
        running.round = round;
        running.cta.started = true;
        var runner = running.cta.runner;
        runner.run(running, turn);
        running = null;
        executed += runner.takeExecuted();
        if (executed > FLUSH) flush();
      }
    }
    return false;
  }

  /** Adds what was executed to the launch's count. */
  void flush() {
    long n = executed;
    executed = 0;
    try {
      state.executed(n);
    } catch (Fault limit) {
      throw StuckReport.stopped(limit, this);
    }
  }
}
