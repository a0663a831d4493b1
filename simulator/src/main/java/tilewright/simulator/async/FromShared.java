package tilewright.simulator.async;

import java.util.ArrayList;
import java.util.List;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.tensormap.BoxRow;
import tilewright.simulator.tensormap.CopyFormat;
import tilewright.simulator.tensormap.RowCopy;

/**
 * A part of a bulk copy from shared to global memory while it has not read its source. When it has, a {@link ToGlobal}
 * takes its place, so that a program that waits only for the reading may still see old values in global memory.
 */
record FromShared(Issuer issuer, int group, int offset, List<BoxRow> rows, CopyFormat format, ToGlobal.Effect effect)
    implements BulkGroups.Member {
  private static final String FIX = "let the thread that copies wait (cp.async.bulk.wait_group.read), then a barrier";
  private static final String WRITTEN = "let the thread that copies wait (cp.async.bulk.wait_group, not its .read "
      + "form), then a barrier, or a flag that is released and acquired";

  /**
   * Begins a copy as several operations, which may be done apart.
   *
   * @param offset of the source in the CTA's own shared memory
   * @param watched whether the sanitizer is told
   */
  static void issue(Issuer issuer, int offset, List<BoxRow> rows, CopyFormat format, ToGlobal.Effect effect,
      boolean watched) {
    if (rows.isEmpty()) return;
    var cta = issuer.cta();
    if (offset + format.extent(rows) > cta.sharedBytes) {
      throw Memory.outOfBounds(issuer.warp(), issuer.lane(), AddressSpace.SHARED_WINDOW + offset, offset,
          rows.getLast().shared() + rows.getLast().bytes(), Access.READ, issuer.site());
    }
    var groups = CopyUnits.of(cta).groups();
    int group = groups.open(issuer.warp(), issuer.lane());
    if (cta.state.sanitize && watched) {
      var access = Sanitizer.of(cta).begin(FIX).in(groups.queue(issuer.warp(), issuer.lane()), group + 1);
      watchShared(issuer, access, offset, rows, format);
      watchGlobal(issuer, group, rows, format, effect);
    }
    if (cta.watch != null) cta.watch.bulkStore(BoxRow.bytes(rows), issuer.site());
    for (var piece : BoxRow.pieces(rows, cta.random())) {
      cta.cluster.async.issue(new FromShared(issuer, group, offset, piece, format, effect));
    }
  }

  /** Watches the reads of a copy; the part of a box outside the tensor counts as not read. */
  private static void watchShared(Issuer issuer, AsyncAccess access, int offset, List<BoxRow> rows,
      CopyFormat format) {
    var cta = issuer.cta();
    var async = Sanitizer.of(cta).async();
    if (rows.stream().allMatch(row -> row.inside() == row.bytes())) {
      async.read(issuer, access, cta, offset, rows.getLast().shared() + rows.getLast().bytes());
      return;
    }
    for (var row : rows) async.read(issuer, access, cta, RowCopy.units(format, row, offset), RowCopy.UNIT);
  }

  private static void watchGlobal(Issuer issuer, int group, List<BoxRow> rows, CopyFormat format,
      ToGlobal.Effect effect) {
    var cta = issuer.cta();
    var queue = CopyUnits.of(cta).groups().written(issuer.warp(), issuer.lane());
    var access = new AsyncAccess(0, WRITTEN).in(queue, group + 1);
    if (effect.reduction().isPresent()) access.asReduction();
    Sanitizer.of(cta).asyncGlobal().write(issuer, access, effect.origin(), rows, format, effect.bytes());
  }

  @Override
  public boolean reads() {
    return true;
  }

  @Override
  public void complete() {
    var cta = issuer.cta();
    if (cta.state.sanitize && cta.finished()) reportExit();
    cta.traceUse();
    var done = SyncObject.copyGroups(issuer.warp(), issuer.lane());
    cta.state.trace.ifPresent(t -> t.uses(done, SyncTrace.Use.ARRIVE, group, false));
    var contents = new ArrayList<ToGlobal.Content>();
    for (var row : rows) {
      var image = RowCopy.gather(format, row, cta.shared, offset);
      if (row.inside() > 0) {
        contents.add(new ToGlobal.Content(effect.origin() + row.global(), RowCopy.content(format, row, image)));
      }
    }
    cta.cluster.async.issue(new ToGlobal(issuer, group, effect, contents));
  }

  /** The block's shared memory is still there in the simulator, so the launch can go on. */
  private void reportExit() {
    var cta = issuer.cta();
    cta.state.findings.add(new Findings.Report(Kind.EARLY_EXIT, issuer.site(), cta,
        issuer.warp().thread(issuer.lane()), offset, Kind.EARLY_EXIT.fix()), () -> describe()
        + " reads shared memory of block " + cta.position + ", which has exited");
  }

  @Override
  public int site() {
    return issuer.site();
  }

  @Override
  public String describe() {
    return issuer.describe("a bulk copy from " + ToShared.place(issuer.cta(), offset));
  }
}
