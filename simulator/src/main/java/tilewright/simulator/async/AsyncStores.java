package tilewright.simulator.async;

import java.util.Optional;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.AtomicOp;
import tilewright.simulator.memory.Atomics;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sync.Mbarriers;

/**
 * {@code st.async} and {@code red.async} (PTX ISA): stores and reductions in the shared memory of the cluster that
 * complete at an mbarrier beside them, and stores and reductions in global memory that complete unseen.
 */
public final class AsyncStores {
  private static final int NO_REDUCTION = -1;
  private static final String FIX = "wait for the phase of the mbarrier that the store completes on";

  private AsyncStores() {}

  /**
   * One lane's.
   *
   * @param owner whose shared memory it changes; null for global memory
   * @param elements the bits of the elements of a vector
   * @param reduction the operation, or {@link #NO_REDUCTION}
   */
  private record AsyncStore(Warp warp, int lane, Cta owner, byte[] base, int offset, long[] elements, int elementBytes,
      int reduction, int mbarrier, Optional<AsyncAccess> access, int site) implements AsyncOperation {
    @Override
    public void complete() {
      for (int k = 0; k < elements.length; k++) change(offset + k * elementBytes, elements[k]);
      if (owner == null) return;
      owner.traceUse();
      if (owner.finished()) throw gone();
      access.ifPresent(a -> Mbarriers.of(owner).completes(mbarrier, a));
      Mbarriers.of(owner).complete(warp, lane, mbarrier, elements.length * elementBytes, null, site);
    }

    private void change(int at, long value) {
      synchronized (base) {
        if (elementBytes == Integer.BYTES) {
          int old = (int) Moves.INT.get(base, at);
          Moves.INT.set(base, at, reduction == NO_REDUCTION ? (int) value
              : Atomics.apply(AtomicOp.at(reduction), old, (int) value, 0));
        } else {
          long old = (long) Moves.LONG.get(base, at);
          Moves.LONG.set(base, at, reduction == NO_REDUCTION ? value
              : Atomics.apply(AtomicOp.at(reduction), old, value, 0));
        }
      }
    }

    private Fault gone() {
      return new Fault(Kind.INVALID_OPERATION, site, lane, offset, warp.who(lane)
          + "'s asynchronous store reaches block " + owner.position + " only after that has exited: let it wait for "
          + "the mbarrier").by(warp);
    }

    @Override
    public String describe() {
      return "an asynchronous store by " + warp.who(lane) + warp.cta.at(site);
    }
  }

  /** The values of one element of each lane's vector, for the operation that follows. */
  public static void element(Warp w, int mask, int k, int[] from) {
    for (int lane = 0; lane < Warp.LANES; lane++) w.elements[k][lane] = from[lane] & 0xFFFF_FFFFL;
  }

  public static void element(Warp w, int mask, int k, long[] from) {
    System.arraycopy(from, 0, w.elements[k], 0, Warp.LANES);
  }

  /** Keeps where the mbarrier is while the destination is resolved. */
  public static void mbarrier(Warp w, int mask, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var owner = w.owners[lane];
      if (owner == null || !Mbarriers.of(owner).exists(w.offsets[lane])) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, w.offsets[lane],
            w.who(lane) + " names an mbarrier that was not initialised, at shared memory + " + w.offsets[lane]);
      }
      w.heldOwners[lane] = owner;
      w.held[lane] = w.offsets[lane];
    }
  }

  /** Issues the stores to shared memory: the destination was resolved last. */
  public static void issue(Warp w, int mask, int count, int bytes, int reduction, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      var owner = w.owners[lane];
      if (owner != w.heldOwners[lane]) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, w.offsets[lane], w.who(lane)
            + " stores asynchronously to one block's shared memory and names an mbarrier in another's: they must be in "
            + "the same");
      }
      issue(w, lane, owner, owner.shared, count, bytes, reduction, w.held[lane], site);
    }
  }

  private static AsyncAccess watch(Warp w, int lane, Cta owner, int bytes, int reduction, int site) {
    var access = Sanitizer.of(w.cta).begin(FIX);
    if (reduction != NO_REDUCTION) access.asReduction();
    Sanitizer.of(w.cta).async().write(new Issuer(w, lane, site), access, owner, w.offsets[lane], bytes);
    return access;
  }

  /** Issues stores to global memory. */
  public static void issueGlobal(Warp w, int mask, int bytes, int reduction, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      issue(w, lane, null, Atomics.base(w, lane), 1, bytes, reduction, 0, site);
    }
  }

  private static void issue(Warp w, int lane, Cta owner, byte[] base, int count, int bytes, int reduction, int mbarrier,
      int site) {
    var elements = new long[count];
    for (int k = 0; k < count; k++) elements[k] = w.elements[k][lane];
    Optional<AsyncAccess> access = !w.cta.state.sanitize || owner == null ? Optional.empty()
        : Optional.of(watch(w, lane, owner, count * bytes, reduction, site));
    w.cta.cluster.async.issue(new AsyncStore(w, lane, owner, base, w.offsets[lane], elements, bytes, reduction,
        mbarrier, access, site));
  }
}
