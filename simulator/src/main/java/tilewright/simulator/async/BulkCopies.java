package tilewright.simulator.async;

import java.util.Optional;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.BulkOperands;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.memory.Reduction;
import tilewright.simulator.tensormap.BoxRow;
import tilewright.simulator.tensormap.CopyFormat;

/**
 * One-dimensional bulk copies and reductions (PTX ISA, cp.async.bulk and cp.reduce.async.bulk). {@link BulkOperands}
 * has the number of bytes; where a copy goes to shared memory, the destination is held there and {@link Warp#offsets}
 * is the mbarrier.
 */
public final class BulkCopies {
  private static final int GRANULE = 16;
  private static final int NO_REDUCTION = -1;

  private BulkCopies() {}

  /** Copies from global to shared memory. */
  public static void load(Warp w, int mask, long[] from, long displacement, int multicast, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      var issuer = new Issuer(w, Integer.numberOfTrailingZeros(rest), site);
      long origin = from[issuer.lane()] + displacement;
      int bytes = bytes(issuer);
      requireGlobal(issuer, origin, bytes, Access.READ);
      var rows = BoxRow.contiguous(bytes, w.cta.random());
      ToShared.issue(issuer, origin, rows, CopyFormat.PLAIN, Multicast.targets(issuer, multicast != 0, false));
    }
  }

  /**
   * Copies from the CTA's own shared memory to that of a CTA of the cluster.
   *
   * @param reduction ordinal of a {@link Reduction}, or negative for a copy
   * @param element ordinal of its {@link TensorElement}
   */
  public static void toCluster(Warp w, int mask, long[] from, long displacement, int reduction, int element, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      var issuer = new Issuer(w, Integer.numberOfTrailingZeros(rest), site);
      int bytes = bytes(issuer);
      long source = from[issuer.lane()] + displacement;
      requireOwn(issuer, source - w.sharedBase, bytes);
      var target = Multicast.targets(issuer, false, false).getFirst();
      ToShared.issue(issuer, AddressSpace.SHARED_WINDOW + source, BoxRow.contiguous(bytes, w.cta.random()),
          CopyFormat.PLAIN, target, operation(reduction, element));
    }
  }

  /** Copies from shared memory, at {@link Warp#offsets}, to global memory; reductions as for {@link #toCluster}. */
  public static void store(Warp w, int mask, long[] to, long displacement, int reduction, int element, int masked,
      int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      var issuer = new Issuer(w, Integer.numberOfTrailingZeros(rest), site);
      long origin = to[issuer.lane()] + displacement;
      int bytes = bytes(issuer);
      requireGlobal(issuer, origin, bytes, reduction == NO_REDUCTION ? Access.WRITE : Access.ATOMIC);
      int byteMask = masked != 0 ? w.bulk.value(BulkOperands.BYTE_MASK, issuer.lane()) : ToGlobal.ALL_BYTES;
      FromShared.issue(issuer, w.offsets[issuer.lane()], BoxRow.contiguous(bytes, w.cta.random()), CopyFormat.PLAIN,
          new ToGlobal.Effect(origin, operation(reduction, element), byteMask & ToGlobal.ALL_BYTES), true);
    }
  }

  /** Into the L2 cache, which is not simulated: only the operands are checked. */
  public static void prefetch(Warp w, int mask, long[] from, long displacement, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      var issuer = new Issuer(w, Integer.numberOfTrailingZeros(rest), site);
      requireGlobal(issuer, from[issuer.lane()] + displacement, bytes(issuer), Access.READ);
    }
  }

  private static Optional<ToShared.Element> operation(int reduction, int element) {
    return reduction == NO_REDUCTION ? Optional.empty()
        : Optional.of(new ToShared.Element(Reduction.values()[reduction], TensorElement.values()[element]));
  }

  private static int bytes(Issuer issuer) {
    int bytes = issuer.warp().bulk.value(BulkOperands.BYTES, issuer.lane());
    if (bytes < 0 || bytes % GRANULE != 0) {
      throw issuer.invalid(bytes, "bulk-copies " + Integer.toUnsignedLong(bytes)
          + " bytes, which is no multiple of 16");
    }
    return bytes;
  }

  private static void requireGlobal(Issuer issuer, long address, int bytes, int access) {
    long offset = address & AddressSpace.OFFSETS;
    if (offset + bytes > issuer.cta().space.buffer(address).length) {
      throw Memory.outOfBounds(issuer.warp(), issuer.lane(), address, offset, bytes, access, issuer.site());
    }
    if (offset % GRANULE != 0) {
      throw Memory.misaligned(issuer.warp(), issuer.lane(), address, offset, GRANULE, issuer.site());
    }
  }

  /** @param offset in the CTA's own shared memory */
  private static void requireOwn(Issuer issuer, long offset, int bytes) {
    long address = AddressSpace.SHARED_WINDOW + issuer.warp().sharedBase + offset;
    if (offset < 0 || offset + bytes > issuer.cta().sharedBytes) {
      throw Memory.outOfBounds(issuer.warp(), issuer.lane(), address, offset, bytes, Access.READ, issuer.site());
    }
    if (offset % GRANULE != 0) {
      throw new Fault(Kind.MISALIGNED, issuer.site(), issuer.lane(), offset, issuer.warp().who(issuer.lane())
          + " bulk-copies from an address that is no multiple of 16: " + issuer.cta().space.describe(address));
    }
  }
}
