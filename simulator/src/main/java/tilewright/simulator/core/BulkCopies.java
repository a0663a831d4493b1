package tilewright.simulator.core;

import java.util.Arrays;
import tilewright.simulator.Finding.Kind;

/** The one-dimensional bulk copies of a CTA (PTX ISA, cp.async.bulk). */
public final class BulkCopies {
  private static final int GRANULE = 16;

  private final Cta cta;
  private final int[][] committed;

  /** One copy, in either direction. */
  private record Copy(Warp warp, int lane, int shared, long global, int bytes, int mbarrier, SyncClock clock,
      int time, int group, boolean load, int site) implements AsyncOperation {
    @Override
    public void complete() {
      warp.cta.bulk.land(this);
    }

    @Override
    public String describe() {
      return "a bulk copy of " + bytes + " bytes by " + warp.who(lane) + warp.cta.at(site);
    }
  }

  BulkCopies(Cta cta) {
    this.cta = cta;
    committed = new int[cta.warps.length][Warp.LANES];
  }

  void reset() {
    for (var c : committed) Arrays.fill(c, 0);
  }

  /** Global to shared: the destination is in {@link Warp#held}, the mbarrier in {@link Warp#offsets}. */
  public static void load(Warp w, int mask, long[] from, long displacement, int[] bytes, int site) {
    var cta = w.cta;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      check(w, lane, w.held[lane], from[lane] + displacement, bytes[lane], Access.READ, site);
      if (!cta.mbarriers.exists(w.offsets[lane])) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, w.offsets[lane],
            w.who(lane) + " names an mbarrier that was not initialised, at shared memory + " + w.offsets[lane]);
      }
      int time = 0;
      SyncClock clock = null;
      if (cta.sanitizer != null) {
        cta.sanitizer.copying(w, 1 << lane, w.held, bytes[lane], site);
        time = cta.sanitizer.time(w);
        clock = cta.sanitizer.snapshot(w, lane);
      }
      cta.cluster.async.issue(new Copy(w, lane, w.held[lane], from[lane] + displacement, bytes[lane], w.offsets[lane],
          clock, time, 0, true, site));
    }
  }

  /** Shared to global: the source is in {@link Warp#offsets}. */
  public static void store(Warp w, int mask, long[] to, long displacement, int[] bytes, int site) {
    var bulk = w.cta.bulk;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      check(w, lane, w.offsets[lane], to[lane] + displacement, bytes[lane], Access.WRITE, site);
      if (w.cta.sanitizer != null) w.cta.sanitizer.reading(w, lane, w.offsets[lane], bytes[lane], site);
      w.cta.cluster.async.issue(new Copy(w, lane, w.offsets[lane], to[lane] + displacement, bytes[lane], 0, null, 0,
          bulk.committed[w.index][lane], false, site));
    }
  }

  private static void check(Warp w, int lane, int shared, long global, int bytes, int access, int site) {
    if (bytes < 0 || bytes % GRANULE != 0) {
      throw new Fault(Kind.INVALID_OPERATION, site, lane, bytes,
          w.who(lane) + " bulk-copies " + bytes + " bytes, which is no multiple of 16");
    }
    long offset = global & AddressSpace.OFFSETS;
    if (offset + bytes > w.cta.space.buffer(global).length) {
      throw Memory.outOfBounds(w, lane, global, offset, bytes, access, site);
    }
    if (offset % GRANULE != 0) throw Memory.misaligned(w, lane, global, offset, GRANULE, site);
    if (shared + bytes > w.cta.sharedBytes) {
      throw Memory.outOfBounds(w, lane, AddressSpace.SHARED_WINDOW + shared, shared, bytes,
          access == Access.READ ? Access.WRITE : Access.READ, site);
    }
  }

  private void land(Copy c) {
    var global = cta.space.buffer(c.global);
    int at = (int) (c.global & AddressSpace.OFFSETS);
    if (c.load) {
      System.arraycopy(global, at, cta.shared, c.shared, c.bytes);
      if (cta.sanitizer != null) cta.sanitizer.landed(c.warp, c.shared, c.bytes, c.time);
      cta.mbarriers.complete(c.warp, c.lane, c.mbarrier, c.bytes, c.clock, c.site);
    } else {
      System.arraycopy(cta.shared, c.shared, global, at, c.bytes);
      if (cta.sanitizer != null) cta.sanitizer.readDone(c.warp, c.shared, c.bytes);
    }
  }

  public static void commit(Warp w, int mask) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) w.cta.bulk.committed[w.index][lane]++;
  }

  /** Waits for all groups of the lanes but the newest {@code groups}: they land now. */
  public static void waitGroup(Warp w, int mask, int groups) {
    int[] committed = w.cta.bulk.committed[w.index];
    w.cta.cluster.async.complete(op -> op instanceof Copy c && !c.load && c.warp == w && (mask >>> c.lane & 1) != 0
        && c.group < committed[c.lane] - groups);
  }
}
