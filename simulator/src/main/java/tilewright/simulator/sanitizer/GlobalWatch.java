package tilewright.simulator.sanitizer;

import java.util.List;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.tensormap.BoxRow;
import tilewright.simulator.tensormap.CopyFormat;

/** Watches the global memory that asynchronous operations of one CTA's threads access, for its {@link Sanitizer}. */
public final class GlobalWatch {
  /** Masks of bytes concern so many at a time. */
  private static final int GRANULE = 16;

  private final Sanitizer sanitizer;
  private final RaceReport report;

  GlobalWatch(Sanitizer sanitizer, RaceReport report) {
    this.sanitizer = sanitizer;
    this.report = report;
  }

  /** An operation reads rows, which count from an address, until it is over. */
  public void read(Issuer issuer, AsyncAccess access, long origin, List<BoxRow> rows, CopyFormat format) {
    long epoch = sanitizer.history().launch().accesses().add(issuer.warp(), issuer.lane(), access);
    for (var row : rows) read(issuer, epoch, origin + row.global(), format.globalBytes(row.inside()));
  }

  private void read(Issuer issuer, long epoch, long address, int bytes) {
    var buffer = sanitizer.shadow(address);
    if (buffer == null || bytes == 0) return;
    var w = issuer.warp();
    int lane = issuer.lane();
    buffer.earlier().check(sanitizer, w, lane, address, Access.READ, issuer.site());
    int offset = (int) (address & AddressSpace.OFFSETS);
    int first = offset % GlobalShadow.PAGE / Shadow.WORD;
    int end = first + bytes / Shadow.WORD;
    boolean whole = (offset | bytes) % Shadow.WORD == 0 && end <= GlobalShadow.PAGE / Shadow.WORD;
    if (whole && buffer.page(offset).isUnwritten()) {
      buffer.page(offset).visit(first, end, Epoch.of(epoch, 0, 0xF), issuer.site());
      return;
    }
    long base = sanitizer.causality().base(w, MemoryOrder.Scope.NONE);
    // What is read was mostly written by one operation or thread, so what was found good once is so again.
    long good = 0;
    for (long at = address & -Shadow.WORD; at < address + bytes; at += Shadow.WORD) {
      var page = buffer.page((int) (at & AddressSpace.OFFSETS));
      int word = (int) (at & GlobalShadow.PAGE - 1) >> 2;
      int touched = touched(at, address, bytes);
      long writer = page.write(word);
      if (writer != good || writer == 0) {
        long mine = Epoch.of(base, lane, touched);
        sanitizer.checkInitialised(page, word, at, w, lane, mine, issuer.site(), bytes);
        boolean touches = writer != 0 && Epoch.touches(writer, touched);
        if (touches && sanitizer.async().isGood(writer, issuer, at, mine, page, word, ProxyFences.GLOBAL)) {
          good = writer;
        }
      }
      long read = Epoch.of(epoch, 0, touched);
      page.read(word, page.visitor(word, read), read, issuer.site());
    }
  }

  /**
   * An operation writes or reduces rows, which count from an address, until it is over.
   *
   * @param byteMask which of every sixteen bytes
   */
  public void write(Issuer issuer, AsyncAccess access, long origin, List<BoxRow> rows, CopyFormat format,
      int byteMask) {
    long epoch = sanitizer.history().launch().accesses().add(issuer.warp(), issuer.lane(), access);
    int kind = access.isReduction() ? Access.ATOMIC : Access.WRITE;
    for (var row : rows) {
      write(issuer, epoch, origin + row.global(), format.globalBytes(row.inside()), byteMask, kind);
    }
  }

  private void write(Issuer issuer, long epoch, long address, int bytes, int byteMask, int kind) {
    var buffer = sanitizer.shadow(address);
    if (buffer == null || bytes == 0) return;
    var w = issuer.warp();
    int lane = issuer.lane();
    buffer.earlier().check(sanitizer, w, lane, address, kind, issuer.site());
    long base = sanitizer.causality()
        .base(w, buffer.strength(kind, kind == Access.ATOMIC ? MemoryOrder.Scope.GPU : MemoryOrder.Scope.NONE));
    long good = 0;
    for (long at = address & -Shadow.WORD; at < address + bytes; at += Shadow.WORD) {
      int touched = touched(at, address, bytes) & byteMask >>> (int) (at % GRANULE);
      if (touched == 0) continue;
      var page = buffer.page((int) (at & AddressSpace.OFFSETS));
      int word = (int) (at & GlobalShadow.PAGE - 1) >> 2;
      long before = page.write(word);
      long mine = Epoch.of(base, lane, touched);
      boolean generic = before != good && before != 0 && !Epoch.isPending(before) && Epoch.touches(before, touched);
      boolean atomic = kind == Access.ATOMIC && Epoch.reachesGpu(before)
          && sanitizer.history().launch().made(before);
      if (generic && !atomic && sanitizer.ordered(w, lane, mine, before)) {
        if (!AsyncWatch.isProxied(before, w, lane, ProxyFences.GLOBAL)) {
          report.missingProxyFence(w, lane, at, issuer.site(), kind, before, page.writeSite(word));
        }
        good = before;
      }
      sanitizer.access(page, word, at, w, lane, mine, kind, issuer.site(), bytes);
      page.write(word, Epoch.of(epoch, 0, touched), issuer.site());
    }
  }

  /** The bytes of the word at an address that lie in a range. */
  private static int touched(long word, long address, int bytes) {
    int first = (int) Math.max(0, address - word);
    int end = (int) Math.min(Shadow.WORD, address + bytes - word);
    return (1 << end) - (1 << first);
  }
}
