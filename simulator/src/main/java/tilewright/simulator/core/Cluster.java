package tilewright.simulator.core;

import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import tilewright.simulator.Finding.Kind;

/**
 * The CTAs of one cluster, and what they share: one seeded source of chance, and one engine for their asynchronous
 * operations. Without clusters in the launch, each CTA is one of its own.
 */
public final class Cluster {
  public final LaunchState state;
  /** By rank. */
  public final Cta[] ctas;
  /** The warps of all CTAs, by number in the cluster. */
  public final Warp[] warps;
  public final AsyncEngine async;
  long number;
  /** The warp that runs, for reports; null while none does. */
  public Warp running;
  /** Whether a thread has seen that no cluster could be cancelled any more. */
  public boolean sawRefusal;
  private RandomGenerator random = new SplittableRandom();
  private int timeouts;

  /** A cluster that {@link #populate} is still to give its CTAs. */
  public Cluster(LaunchState state) {
    this.state = state;
    async = new AsyncEngine(state.trace);
    ctas = new Cta[state.grid.size()];
    int threads = (int) state.launch.block().size();
    warps = new Warp[ctas.length * ((threads + Warp.LANES - 1) / Warp.LANES)];
  }

  /** Makes the CTAs, by rank. */
  public void populate(IntFunction<Cta> make) {
    for (int rank = 0; rank < ctas.length; rank++) {
      var cta = make.apply(rank);
      ctas[rank] = cta;
      System.arraycopy(cta.warps, 0, warps, rank * cta.warps.length, cta.warps.length);
    }
  }

  /** Becomes the cluster of that number; its CTAs are still those of another. */
  public void reset(long newNumber) {
    random = state.trace.isPresent() ? new FixedChoices()
        : new SplittableRandom(state.seed * 0x9E3779B97F4A7C15L + newNumber);
    async.reset(random);
    timeouts = 0;
    sawRefusal = false;
    number = newNumber;
  }

  public RandomGenerator random() {
    return random;
  }

  /** The CTA of a rank, whose shared memory is about to be accessed: it must have begun and not ended. */
  public Cta alive(int rank, Warp w, int lane, int site) {
    var owner = ctas[rank];
    if (owner != w.cta) owner.traceUse();
    if (owner != w.cta && (!owner.started || owner.finished())) {
      throw new Fault(Kind.INVALID_OPERATION, site, lane, 0, w.who(lane)
          + " accesses the shared memory of block " + owner.position + " of its cluster, which "
          + (owner.started ? "has exited: let it wait, such as by barrier.cluster, until its peers are done"
              : "has not started yet: wait for it first, such as by barrier.cluster"));
    }
    return owner;
  }

  /** The warp of that number in the cluster. */
  public Warp warp(int warp) {
    return warps[warp];
  }

  /** Something has happened that others may have waited for. */
  public void progress() {
    timeouts = 0;
  }

  /** Counts that waits run out of time; returns how often they did before, with nothing happening in between. */
  public int countTimeout() {
    return timeouts++;
  }
}
