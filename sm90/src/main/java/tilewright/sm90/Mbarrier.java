package tilewright.sm90;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * An {@code mbarrier} in shared memory (PTX ISA, Parallel Synchronization: mbarrier; SM90 for transactions). A phase
 * completes when all arrivals have come and all expected bytes have landed; waiters name the phase by its parity.
 */
public record Mbarrier(Scope k, Operand.Address address) {
  private static final int BYTES = 8;

  /**
   * Sets a barrier aside, for so many arrivals a phase; {@code first} is true for the one thread that initialises it.
   */
  public static Mbarrier of(Scope k, Pred first, int arrivals) {
    var barrier = new Mbarrier(k, k.sharedBytes(BYTES));
    k.when(first, () -> {
      k.emit("mbarrier.init.shared::cta.b64", barrier.address, new Operand.Integer(arrivals));
      k.emit("fence.mbarrier_init.release.cluster");
    });
    k.barrier();
    return barrier;
  }

  /** Arrives and announces that so many bytes will land in this phase. */
  public void arriveExpecting(I32 bytes) {
    k.emit("mbarrier.arrive.expect_tx.shared::cta.b64", new Operand.Sink(), address, bytes.operand());
  }

  /** Waits until the phase of that parity has completed. */
  public void await(int parity) {
    k.repeatUntil(() -> {
      var done = k.newRegister(PtxType.PRED);
      k.emit("mbarrier.try_wait.parity.shared::cta.b64", done, address, new Operand.Integer(parity));
      return k.predicate(done);
    });
  }
}
