package tilewright.simulator.sanitizer;

import tilewright.simulator.core.Access;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Site;
import tilewright.simulator.core.Warp;

/**
 * Watches the shared memory that asynchronous operations of one CTA's threads access, for its {@link Sanitizer};
 * {@link GlobalWatch} does so for global memory. Copies by {@code cp.async} are pending until their thread waits for
 * them; all others are an {@link AsyncAccess}, which is over for those who know so.
 */
public final class AsyncWatch {
  private final Sanitizer sanitizer;
  private final RaceReport report;

  AsyncWatch(Sanitizer sanitizer, RaceReport report) {
    this.sanitizer = sanitizer;
    this.report = report;
  }

  /** How many reads of a word by asynchronous operations are kept: one for each warpgroup, one for other CTAs. */
  static int readers(Cta cta) {
    if (cta.kernel.sites().stream().noneMatch(Site::readsAsynchronously)) return 0;
    return (cta.warps.length + Warp.WARPGROUP_WARPS - 1) / Warp.WARPGROUP_WARPS + (cta.cluster.ctas.length > 1 ? 1 : 0);
  }

  /** Whether an operation is over for a lane, or is a reduction that an atomic access of the lane may go with. */
  boolean isOver(Warp w, int lane, long me, long epoch) {
    var history = sanitizer.history();
    var access = history.access(epoch);
    return access.isKnown(sanitizer.causality(), w, lane)
        || access.isReduction() && Epoch.isGlobal(epoch) && Epoch.reachesGpu(me) && history.launch().made(epoch);
  }

  /** An operation reads a CTA's shared memory until it is over. */
  public void read(Issuer issuer, AsyncAccess access, Cta owner, int offset, int bytes) {
    read(issuer, access, owner, new int[] {offset}, bytes);
  }

  /** Like the other {@code read}, of so many bytes from each of the offsets. */
  public void read(Issuer issuer, AsyncAccess access, Cta owner, int[] offsets, int bytes) {
    var w = issuer.warp();
    int lane = issuer.lane();
    int site = issuer.site();
    if (owner != w.cta) Sanitizer.of(owner).visits().requireStarted(w, lane, site);
    long mine = Epoch.of(sanitizer.causality().base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    long epoch = Epoch.async(w.cta.number, w.index, lane, access.index);
    var shared = Sanitizer.of(owner).shared();
    var writes = shared.writes();
    var reads = shared.reads(shared.async(w, owner != w.cta));
    // Tiles are written by one operation or thread, so what was found good once is so again.
    long good = 0;
    for (int offset : offsets) {
      int first = offset >> 2;
      int end = offset + bytes + Shadow.WORD - 1 >> 2;
      for (int word = first; word < end; word++) {
        long writer = writes.epoch(word);
        if (writer == good && writer != 0) continue;
        long address = Sanitizer.of(owner).window() + 4L * word;
        sanitizer.checkInitialised(shared, word, address, w, lane, mine, site, bytes);
        if (writer != 0 && isGood(writer, issuer, address, mine, shared, word, ProxyFences.SHARED)) good = writer;
      }
      reads.put(first, end, epoch, site);
    }
  }

  boolean isGood(long writer, Issuer issuer, long address, long mine, Shadow shared, int word,
      int space) {
    var w = issuer.warp();
    if (!sanitizer.ordered(w, issuer.lane(), mine, writer)) {
      report.conflict(w, issuer.lane(), address, issuer.site(), Access.READ, writer, shared.writeSite(word),
          Access.WRITE);
      return false;
    }
    if (Epoch.isPending(writer) || isProxied(writer, w, issuer.lane(), space)) return true;
    report.missingProxyFence(w, issuer.lane(), address, issuer.site(), Access.READ, writer, shared.writeSite(word));
    return false;
  }

  static boolean isProxied(long writer, Warp w, int lane, int space) {
    for (var cta : w.cta.cluster.ctas) {
      boolean wrote = Epoch.cta(cta.number) == Epoch.ctaOf(writer);
      if (wrote) return Sanitizer.of(cta).causality().isProxied(writer, w, lane, space);
    }
    return true;
  }

  /** An operation that a lane issues writes a CTA's shared memory until it is over. */
  public void write(Issuer issuer, AsyncAccess access, Cta owner, int offset, int bytes) {
    var w = issuer.warp();
    int lane = issuer.lane();
    int site = issuer.site();
    long me = Epoch.of(sanitizer.causality().base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    if (owner != w.cta) Sanitizer.of(owner).visits().requireStarted(w, lane, site);
    var shared = Sanitizer.of(owner).shared();
    long epoch = Epoch.async(w.cta.number, w.index, lane, access.index);
    int first = offset >> 2;
    int end = offset + bytes + Shadow.WORD - 1 >> 2;
    if (!access.isReduction() && shared.allMatch(first, end, other -> sanitizer.ordered(w, lane, me, other))) {
      shared.overwrite(first, end, epoch, site);
      return;
    }
    for (int word = first; word < end; word++) {
      long before = shared.write(word);
      boolean together = access.isReduction() && Epoch.isAsync(before)
          && sanitizer.history().accesses().of(before).isReduction();
      if (!together) {
        sanitizer.access(shared, word, Sanitizer.of(owner).window() + 4L * word, w, lane, me,
            access.isReduction() ? Access.ATOMIC : Access.WRITE, site, bytes);
      }
      shared.write(word, epoch, site);
    }
  }

  /** A {@code cp.async} begins to write the places in {@code offsets}. */
  void copying(Warp w, int lanes, int[] offsets, int bytes, int site) {
    var shared = sanitizer.shared();
    long base = sanitizer.causality().base(w, MemoryOrder.Scope.NONE);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      for (int done = 0; done < bytes; done += Shadow.WORD) {
        int word = offsets[lane] + done >> 2;
        sanitizer.write(shared, word, sanitizer.window() + offsets[lane] + done, w, lane, Epoch.of(base, lane, 0xF),
            site, bytes, Access.WRITE);
        shared.write(word, Epoch.pending(shared.write(word)));
      }
    }
  }

  /** The issuing threads have waited for the copy: from now on it is like a write of theirs. */
  public void copied(Warp w, int lanes, int[] offsets, int bytes, int site) {
    var shared = sanitizer.shared();
    int now = sanitizer.causality().now(w);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      for (int done = 0; done < bytes; done += Shadow.WORD) {
        int word = offsets[lane] + done >> 2;
        long e = shared.write(word);
        boolean copying = Epoch.isPending(e) && e != Epoch.FORBIDDEN && !Epoch.isAsync(e);
        if (copying && shared.writeSite(word) == site) shared.write(word, Epoch.settled(e, now));
      }
    }
  }
}
