package tilewright.async.atom;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Cluster;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * An {@code mbarrier} in shared memory (PTX ISA, Parallel Synchronization: mbarrier; SM90 for transactions). A phase
 * completes when all arrivals have come and all expected bytes have landed; waiters name the phase by its parity.
 *
 * @param place its address in shared memory, in bytes
 */
public record Mbarrier(Scope k, I32 place) {
  /** Bytes of shared memory. */
  public static final int BYTES = 8;

  /**
   * Sets a barrier aside, for so many arrivals a phase; {@code first} is true for the one thread that initialises it.
   */
  public static Mbarrier of(Scope k, Pred first, int arrivals) {
    var barrier = new Mbarrier(k, k.sharedBytes(BYTES));
    k.when(first, () -> {
      barrier.initialise(arrivals);
      publish(k);
    });
    k.barrier();
    return barrier;
  }

  /** Begins the first phase; one thread does it, and {@link #publish} follows. */
  public void initialise(int arrivals) {
    k.emit("mbarrier.init.shared::cta.b64", address(), new Operand.Integer(arrivals));
  }

  /** Makes initialised barriers visible to the cluster and the async proxy; a barrier for the threads follows. */
  public static void publish(Scope k) {
    k.emit("fence.mbarrier_init.release.cluster");
  }

  public Operand.Address address() {
    return k.address(place);
  }

  /** Arrives. */
  public void arrive() {
    k.emit("mbarrier.arrive.shared::cta.b64", new Operand.Sink(), address());
  }

  /**
   * Arrives at the barrier in the same place of the cluster's block of that rank. It says that this thread is done with
   * something, and publishes no writes: with a release for the whole cluster a ring's step took some 900 ns on an H200.
   */
  public void arriveAt(I32 rank) {
    k.emit("mbarrier.arrive.shared::cluster.b64", new Operand.Sink(), at(rank));
  }

  /** Arrives there, and publishes to the cluster what this thread has written, or has seen written. */
  public void releaseAt(I32 rank) {
    k.emit("mbarrier.arrive.release.cluster.shared::cluster.b64", new Operand.Sink(), at(rank));
  }

  /** The operand for the barrier in the same place of the cluster's block of that rank. */
  Operand.Address at(I32 rank) {
    return Cluster.remote(k, new Operand.Address(place.register(), 0), rank);
  }

  /** Arrives and announces that so many bytes will land in this phase. */
  public void arriveExpecting(I32 bytes) {
    k.emit("mbarrier.arrive.expect_tx.shared::cta.b64", new Operand.Sink(), address(), bytes.operand());
  }

  /** Waits until the phase of that parity has completed. */
  public void await(I32 parity) {
    await("mbarrier.try_wait.parity.shared::cta.b64", parity);
  }

  /** Waits like {@link #await}, and makes visible what threads of the cluster published by {@link #releaseAt}. */
  public void acquire(I32 parity) {
    await("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64", parity);
  }

  private void await(String form, I32 parity) {
    k.repeatUntil(() -> {
      var done = k.newRegister(PtxType.PRED);
      k.emit(form, done, address(), parity.operand());
      return k.predicate(done);
    });
  }
}
