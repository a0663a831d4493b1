package tilewright.simulator.async;

import java.util.List;
import java.util.Optional;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.memory.Reduction;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sync.Mbarriers;
import tilewright.simulator.tensormap.BoxRow;
import tilewright.simulator.tensormap.CopyFormat;
import tilewright.simulator.tensormap.RowCopy;

/**
 * A part of a bulk copy into the shared memory of a CTA. It lands as a whole and then tells the mbarrier how many bytes
 * it brought.
 *
 * @param origin of the rows: an address in global memory, or in the shared window
 * @param reduction what is done with what is there; empty for a copy
 * @param access what the whole copy does to memory; empty when nobody watches
 */
record ToShared(Issuer issuer, long origin, List<BoxRow> rows, CopyFormat format, Target target,
    Optional<Element> reduction, Optional<AsyncAccess> access) implements AsyncOperation {
  private static final String FIX = "wait for the phase of the mbarrier that the copy completes on";

  /** Where a copy goes and which mbarrier it signals. */
  record Target(Cta cta, int offset, Cta signalled, int mbarrier) {}

  /** An operation on elements of a type. */
  record Element(Reduction operation, tilewright.ptx.tensormap.TensorElement type) {}

  /** Begins a copy from global memory to all of its targets. */
  static void issue(Issuer issuer, long origin, List<BoxRow> rows, CopyFormat format, List<Target> targets) {
    var watch = issuer.cta().watch;
    if (watch != null) watch.bulkLoad(BoxRow.bytes(rows), targets.size(), issuer.site());
    for (var target : targets) issue(issuer, origin, rows, format, target, Optional.empty());
  }

  /** Begins a copy as several operations, which may land apart. */
  static void issue(Issuer issuer, long origin, List<BoxRow> rows, CopyFormat format, Target target,
      Optional<Element> reduction) {
    check(issuer, rows, format, target);
    if (rows.isEmpty()) return;
    var cta = issuer.cta();
    int bytes = rows.getLast().shared() + rows.getLast().bytes();
    var pieces = BoxRow.pieces(rows, cta.random());
    Optional<AsyncAccess> access = !cta.state.sanitize ? Optional.empty()
        : Optional.of(watch(issuer, origin, bytes, target, reduction.isPresent()).ofParts(pieces.size()));
    if (access.isPresent() && !AddressSpace.isShared(origin)) {
      Sanitizer.of(cta).asyncGlobal().read(issuer, access.get(), origin, rows, format);
    }
    for (var piece : pieces) {
      cta.cluster.async.issue(new ToShared(issuer, origin, piece, format, target, reduction, access));
    }
  }

  private static AsyncAccess watch(Issuer issuer, long origin, int bytes, Target target, boolean reduces) {
    var cta = issuer.cta();
    Mbarriers.of(target.signalled).checkReady(issuer.warp(), issuer.lane(), target.mbarrier, issuer.site());
    var access = Sanitizer.of(cta).begin(FIX);
    if (reduces) access.asReduction();
    var async = Sanitizer.of(cta).async();
    async.write(issuer, access, target.cta, target.offset, bytes);
    if (AddressSpace.isShared(origin)) async.read(issuer, access, cta, (int) (origin & AddressSpace.IN_CTA), bytes);
    return access;
  }

  private static void check(Issuer issuer, List<BoxRow> rows, CopyFormat format, Target target) {
    if (!Mbarriers.of(target.signalled).exists(target.mbarrier)) {
      throw issuer.invalid(target.mbarrier, "names an mbarrier that was not initialised, at "
          + place(target.signalled, target.mbarrier));
    }
    if (rows.isEmpty()) return;
    int bytes = rows.getLast().shared() + rows.getLast().bytes();
    if (target.offset + format.extent(rows) > target.cta.sharedBytes) {
      throw Memory.outOfBounds(issuer.warp(), issuer.lane(), AddressSpace.SHARED_WINDOW + target.offset,
          target.offset, bytes, Access.WRITE, issuer.site());
    }
  }

  static String place(Cta cta, int offset) {
    return cta.space.describe(AddressSpace.SHARED_WINDOW + ((long) cta.rank << AddressSpace.RANK_BITS) + offset);
  }

  @Override
  public void complete() {
    if (target.cta != issuer.cta()) target.cta.traceUse();
    if (target.cta != issuer.cta() && target.cta.finished()) {
      throw issuer.invalid(target.offset, "has a bulk copy under way to block " + target.cta.position
          + ", which has exited: let that wait for the mbarrier").by(issuer.warp());
    }
    boolean fromShared = AddressSpace.isShared(origin);
    for (var row : rows) {
      var source = fromShared ? issuer.cta().shared : issuer.cta().space.buffer(origin + row.global());
      long mask = fromShared ? AddressSpace.IN_CTA : AddressSpace.OFFSETS;
      var image = RowCopy.image(format, row, source, (int) (origin + row.global() & mask));
      land(row, image);
    }
    access.ifPresent(a -> Mbarriers.of(target.signalled).completes(target.mbarrier, a));
    Mbarriers.of(target.signalled).complete(issuer.warp(), issuer.lane(), target.mbarrier, format.globalBytes(bytes()),
        null, issuer.site());
  }

  private void land(BoxRow row, byte[] image) {
    if (reduction.isPresent()) {
      var r = reduction.get();
      r.operation.apply(r.type, image, target.cta.shared, target.offset + row.shared());
    } else {
      RowCopy.scatter(format, row, image, target.cta.shared, target.offset);
    }
  }

  private int bytes() {
    return BoxRow.bytes(rows);
  }

  @Override
  public int site() {
    return issuer.site();
  }

  @Override
  public String describe() {
    return issuer.describe("a bulk copy of " + bytes() + " bytes to " + place(target.cta, target.offset));
  }
}
