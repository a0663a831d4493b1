package tilewright.simulator.sanitizer;

import java.util.LinkedHashSet;
import tilewright.simulator.Profile.BarrierUse;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.UnwrittenValues;
import tilewright.simulator.core.Warp;
import tilewright.simulator.core.Watch;
import tilewright.simulator.profile.TrafficCounter;
import tilewright.simulator.profile.UseTrace;

/** The {@link Watch} over one CTA: its sanitizer, and the counters of the worker that runs it. */
public final class CtaWatch implements Watch {
  /** Names the word at an offset that a lane accesses. */
  private interface Words {
    SyncObject at(int lane, int offset);
  }

  /** Null when the launch is only profiled. */
  private final Sanitizer sanitizer;
  private final TrafficCounter traffic;
  private final UseTrace uses;

  public CtaWatch(Sanitizer sanitizer, TrafficCounter traffic, UseTrace uses) {
    this.sanitizer = sanitizer;
    this.traffic = traffic;
    this.uses = uses;
  }

  Sanitizer sanitizer() {
    return sanitizer;
  }

  @Override
  public void shared(Warp w, int mask, int bytes, int access, int site) {
    if (access == Access.PLACE) return;
    trace(w, mask, bytes, access, site, (_, offset) -> SyncObject.sharedWord(w.cta, offset));
    traffic.shared(w.offsets, mask, bytes, access, site);
    if (sanitizer != null) sanitizer.shared(w, mask, bytes, access, site);
  }

  @Override
  public void foreign(Warp w, int mask, int bytes, int access, int site) {
    if (access == Access.PLACE) return;
    trace(w, mask, bytes, access, site, (lane, offset) -> SyncObject.sharedWord(w.owners[lane], offset));
    if (sanitizer != null) sanitizer.foreign(w, mask, bytes, access, site);
  }

  @Override
  public void global(Warp w, int mask, long window, int bytes, int access, int site) {
    if (access == Access.PLACE) return;
    trace(w, mask, bytes, access, site, (_, offset) -> SyncObject.globalWord(window + offset));
    traffic.global(w.offsets, mask, bytes, access, site);
    if (sanitizer != null) sanitizer.global(w, mask, window, w.offsets, bytes, access, site);
  }

  /** Tells who explores schedules of accesses by which threads may synchronise. */
  private static void trace(Warp w, int mask, int bytes, int access, int site, Words words) {
    if (w.cta.state.trace.isEmpty()) return;
    var at = w.cta.kernel.sites().get(site);
    if (access != Access.ATOMIC && !at.order().strong()) return;
    var use = access == Access.READ ? Use.READ : at.addsUnseen() ? Use.ADD : Use.WRITE;
    var used = new LinkedHashSet<SyncObject>();
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      for (int i = 0; i < bytes; i += Integer.BYTES) used.add(words.at(lane, w.offsets[lane] + i));
    }
    for (var word : used) w.cta.state.trace.get().uses(word, use, 0, false);
  }

  @Override
  public void local(Warp w, int mask, int bytes, int access, int site) {
    traffic.local(mask, bytes, access, site);
    if (sanitizer != null) sanitizer.local(w, mask, bytes, access, site);
  }

  @Override
  public void copyLocal(Warp w, int lane, int from, int to, int bytes) {
    if (sanitizer != null) sanitizer.copyLocal(w, lane, from, to, bytes);
  }

  @Override
  public void copy(Warp w, int mask, int full, long[] from, int[] to, int bytes, int site) {
    var sources = new int[Warp.LANES];
    for (int lane = 0; lane < Warp.LANES; lane++) sources[lane] = (int) (from[lane] & AddressSpace.OFFSETS);
    if (full != 0) traffic.global(sources, full, bytes, Access.READ, site);
    traffic.shared(to, mask, bytes, Access.WRITE, site);
    if (sanitizer == null) return;
    for (int rest = full; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      sanitizer.global(w, 1 << lane, from[lane] & ~AddressSpace.OFFSETS, sources, bytes, Access.READ, site);
    }
    sanitizer.async().copying(w, mask, to, bytes, site);
  }

  @Override
  public void bulkLoad(int bytes, int receivers, int site) {
    traffic.bulkLoad(bytes, receivers, site);
  }

  @Override
  public void bulkStore(int bytes, int site) {
    traffic.bulkStore(bytes, site);
  }

  @Override
  public void undefinedUse(Warp w, int lane, UnwrittenValues.Origin from, int site, String verb) {
    sanitizer.report().uninitialised(w, lane, from.address(), from.bytes(), from.site(), site, verb);
  }

  @Override
  public void barrier(Cta owner, int offset, BarrierUse.Kind kind, Warp by) {
    uses.barrier(owner, offset, kind, by);
  }

  @Override
  public void tensorMemory(Cta owner, int first, int count, String what, Warp by) {
    uses.tensorMemory(owner, first, count, what, by);
  }
}
