package tilewright.simulator.sync;

import tilewright.simulator.core.InstructionClass;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Lanes;
import tilewright.simulator.sanitizer.ProxyFences;
import tilewright.simulator.sanitizer.Sanitizer;

/** Reports that watched code makes to the sanitizer; other code has no calls to these. */
public final class Probes {
  private Probes() {}

  /** A store begins; its values follow. */
  public static void storing(Warp w, int mask, int site) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.stored().begin(site, mask);
  }

  public static void value(Warp w, int mask, int bytes, int[] from) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.stored().add(bytes, from);
  }

  public static void value(Warp w, int mask, int bytes, float[] from) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.stored().add(bytes, from);
  }

  public static void value(Warp w, int mask, int bytes, long[] from) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.stored().add(bytes, from);
  }

  public static void value(Warp w, int mask, int bytes, double[] from) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.stored().add(bytes, from);
  }

  public static void fence(Warp w, int mask, int site) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer == null) return;
    sanitizer.causality().fence(w, mask, w.cta.kernel.sites().get(site).order(), site);
  }

  /** {@code fence.proxy.async} for shared memory, for global memory, or without either for all. */
  public static void proxyFence(Warp w, int mask, int shared, int global) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer == null) return;
    int spaces = (shared != 0 ? ProxyFences.SHARED : 0) | (global != 0 ? ProxyFences.GLOBAL : 0);
    sanitizer.causality().proxyFence(w, mask, spaces == 0 ? ProxyFences.ALL : spaces);
  }

  /** {@code fence.proxy.tensormap::generic.release}. */
  public static void tensorMapRelease(Warp w, int mask) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.tensorMaps().release(w, mask);
  }

  /** The lanes of a warp have copied a tensor map together, and release it to a scope. */
  public static void tensorMapCopied(Warp w, int mask, int scope) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer == null) return;
    sanitizer.causality().fence(w, mask, new MemoryOrder(MemoryOrder.Scope.values()[scope], false, true),
        Fault.NO_SITE);
    sanitizer.tensorMaps().release(w, mask);
    sanitizer.causality().meet(w, mask);
  }

  /** {@code fence.proxy.tensormap::generic.acquire} of the maps at those addresses. */
  public static void tensorMapAcquire(Warp w, int mask, long[] address, long displacement) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.tensorMaps().acquire(w, mask, address, displacement);
  }

  /** {@code fence.mbarrier_init}. */
  public static void initialisationFence(Warp w, int mask) {
    if (!w.cta.state.sanitize) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) Mbarriers.fence(w, Integer.numberOfTrailingZeros(rest));
  }

  /** {@code griddepcontrol.wait}. */
  public static void earlierGridsAwaited(Warp w, int mask) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.causality().earlierGridsAwaited(w, mask);
  }

  /** A strong read or an atomic operation has been made. */
  public static void observed(Warp w, int mask, int site) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer == null) return;
    var at = w.cta.kernel.sites().get(site);
    sanitizer.observed(w, at.order(), at.kind() == InstructionClass.ATOMIC);
  }

  /** The lanes of a {@code bar.warp.sync} have met. */
  public static void meet(Warp w, int mask) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.causality().meet(w, mask);
  }

  /** Lanes exchange values that depend on what they read. */
  public static void exchange(Warp w, int mask) {
    var sanitizer = Sanitizer.of(w.cta);
    if (sanitizer != null) sanitizer.causality().exchange(w, mask);
  }

  /** A shuffle reads from other lanes: those must take part in it. */
  public static void source(Warp w, int mask, int mode, int[] by, int[] bounds, int site) {
    if (!w.cta.state.sanitize) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int source = Lanes.source(mode, lane, by[lane], bounds[lane]);
      if (source >= 0 && (mask >>> source & 1) == 0) LaneReport.absentSource(w, mask, lane, source, site);
    }
  }
}
