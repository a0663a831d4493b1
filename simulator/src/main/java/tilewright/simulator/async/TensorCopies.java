package tilewright.simulator.async;

import java.util.Arrays;
import java.util.List;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.BulkOperands;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.tensormap.BoxRow;
import tilewright.simulator.tensormap.BoxTraversal;
import tilewright.simulator.tensormap.CopyFormat;
import tilewright.simulator.tensormap.TensorDescriptor;

/**
 * Copies, reductions and prefetches by tensor map (PTX ISA, cp.async.bulk.tensor and cp.reduce.async.bulk.tensor).
 * {@link BulkOperands} has coordinates and offsets; for loads the destination is held there and {@link Warp#offsets} is
 * the mbarrier, for stores it is the source.
 */
public final class TensorCopies {
  private TensorCopies() {}

  /** One copy, with what its tensor map says. */
  private record Request(Issuer issuer, TensorForm form, TensorDescriptor descriptor) {
    static Request of(Warp w, int lane, long map, int form, int site) {
      var issuer = new Issuer(w, lane, site);
      var descriptor = TensorMaps.at(issuer, map);
      if (w.cta.state.sanitize) Sanitizer.of(w.cta).tensorMaps().use(issuer, map);
      return new Request(issuer, TensorForm.of(form), descriptor);
    }

    /** The rows, all of which lie in memory as far as they lie in the tensor. */
    List<BoxRow> rows(int access) {
      var bulk = issuer.warp().bulk;
      int lane = issuer.lane();
      var coordinates = bulk.values(BulkOperands.COORDINATES, form.coordinates(), lane);
      var offsets = bulk.values(BulkOperands.OFFSETS, Math.max(form.rank() - 2, form.offsets()), lane);
      if (access != Access.READ) TensorChecks.notNegative(issuer, coordinates);
      TensorChecks.coordinates(issuer, form, descriptor, coordinates, offsets);
      var rows = BoxTraversal.rows(descriptor, form.mode(), coordinates, offsets);
      if (access != Access.READ) rows = rows.stream().map(BoxRow::stored).toList();
      for (var row : rows) requireInMemory(row, access);
      return rows;
    }

    private void requireInMemory(BoxRow row, int access) {
      if (row.inside() == 0) return;
      int bytes = CopyFormat.of(descriptor).globalBytes(row.inside());
      long address = descriptor.address() + row.global();
      long offset = address & AddressSpace.OFFSETS;
      boolean same = AddressSpace.window(address) == AddressSpace.window(descriptor.address());
      if (!same || offset + bytes > issuer.cta().space.buffer(address).length) {
        throw Memory.outOfBounds(issuer.warp(), issuer.lane(), address, offset, bytes, access, issuer.site());
      }
    }
  }

  public static void load(Warp w, int mask, long[] map, long displacement, int form, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var request = Request.of(w, lane, map[lane] + displacement, form, site);
      TensorChecks.load(request.issuer, request.form, request.descriptor, w.held[lane]);
      var rows = request.rows(Access.READ);
      ToShared.issue(request.issuer, request.descriptor.address(), rows, CopyFormat.of(request.descriptor),
          Multicast.targets(request.issuer, request.form.multicast(), request.form.pair()));
    }
  }

  /** A store or a reduction. */
  public static void store(Warp w, int mask, long[] map, long displacement, int form, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var request = Request.of(w, lane, map[lane] + displacement, form, site);
      var reduction = request.form.reduction();
      TensorChecks.store(request.issuer, request.form, request.descriptor, w.offsets[lane]);
      var element = request.descriptor.element();
      FromShared.issue(request.issuer, w.offsets[lane],
          request.rows(reduction.isPresent() ? Access.ATOMIC : Access.WRITE), CopyFormat.of(request.descriptor),
          new ToGlobal.Effect(request.descriptor.address(), reduction.map(r -> new ToShared.Element(r, element)),
              ToGlobal.ALL_BYTES), reduction.isPresent() || !repeats(w, mask, map, lane, request.form));
    }
  }

  /**
   * Whether an earlier lane stores the same box to the same place: whole warps do, as hardware that runs such an
   * instruction once makes them (CUTLASS's epilogues), and equal bytes do not conflict.
   */
  private static boolean repeats(Warp w, int mask, long[] map, int lane, TensorForm form) {
    var coordinates = w.bulk.values(BulkOperands.COORDINATES, form.coordinates(), lane);
    for (int rest = mask & (1 << lane) - 1; rest != 0; rest &= rest - 1) {
      int other = Integer.numberOfTrailingZeros(rest);
      if (map[other] == map[lane] && w.offsets[other] == w.offsets[lane]
          && Arrays.equals(w.bulk.values(BulkOperands.COORDINATES, form.coordinates(), other), coordinates)) {
        return true;
      }
    }
    return false;
  }

  /** Into the L2 cache, which is not simulated: only the operands are checked. */
  public static void prefetch(Warp w, int mask, long[] map, long displacement, int form, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var request = Request.of(w, lane, map[lane] + displacement, form, site);
      TensorChecks.map(request.issuer, request.form, request.descriptor);
      request.rows(Access.READ);
    }
  }
}
