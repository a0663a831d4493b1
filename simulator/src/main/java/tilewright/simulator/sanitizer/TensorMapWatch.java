package tilewright.simulator.sanitizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tensormap.TensorMapBytes;

/**
 * Whether a CTA's copies may rely on tensor maps that threads have changed in global memory (PTX ISA,
 * fence.proxy.tensormap): the thread that wrote a map releases it, a thread of the CTA acquires it, and who copies by
 * it comes after both.
 */
public final class TensorMapWatch {
  private static final int WORDS = TensorMapBytes.SIZE / Shadow.WORD;

  private final Sanitizer sanitizer;
  private final RaceReport report;
  /** By address, the latest last. */
  private final Map<Long, List<Acquisition>> acquisitions = new HashMap<>();

  /**
   * A map was acquired.
   *
   * @param base of the accesses that lanes of a mask make at that time
   * @param writers of the map's words by then
   */
  private record Acquisition(long base, int mask, long[] writers) {
    boolean isKnown(Causality causality, Warp w, int lane) {
      if ((mask >>> lane & 1) != 0 && Epoch.sameWarp(base, causality.base(w, MemoryOrder.Scope.NONE))) return true;
      for (int rest = mask; rest != 0; rest &= rest - 1) {
        if (causality.knows(w, lane, Epoch.of(base, Integer.numberOfTrailingZeros(rest), 0xF))) return true;
      }
      return false;
    }
  }

  TensorMapWatch(Sanitizer sanitizer, RaceReport report) {
    this.sanitizer = sanitizer;
    this.report = report;
  }

  void reset() {
    acquisitions.clear();
  }

  public void release(Warp w, int mask) {
    sanitizer.causality().tensorMapFence(w, mask);
  }

  public void acquire(Warp w, int mask, long[] address, long displacement) {
    for (int rest = mask; rest != 0; ) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int same = 0;
      for (int k = lane; k < Warp.LANES; k++) {
        if ((rest >>> k & 1) != 0 && address[k] == address[lane]) same |= 1 << k;
      }
      rest &= ~same;
      acquire(w, same, address[lane] + displacement);
    }
  }

  private void acquire(Warp w, int mask, long address) {
    boolean fits = (address & AddressSpace.OFFSETS) + TensorMapBytes.SIZE <= w.cta.space.buffer(address).length;
    if (!fits || sanitizer.shadow(address) == null) return;
    var writers = writers(address);
    int able = 0;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (Arrays.stream(writers).allMatch(writer -> writer == 0 || isReleased(writer, w, lane))) able |= 1 << lane;
    }
    if (able == 0) return;
    acquisitions.computeIfAbsent(address, _ -> new ArrayList<>())
        .add(new Acquisition(sanitizer.causality().base(w, MemoryOrder.Scope.NONE), able, writers));
  }

  /** The epochs that wrote the words of a map last. */
  private long[] writers(long address) {
    var buffer = sanitizer.shadow(address);
    var writers = new long[WORDS];
    for (int k = 0; k < WORDS; k++) {
      int offset = (int) (address & AddressSpace.OFFSETS) + k * Shadow.WORD;
      writers[k] = buffer.page(offset).write((offset & GlobalShadow.PAGE - 1) >> 2);
    }
    return writers;
  }

  private static boolean isReleased(long writer, Warp w, int lane) {
    for (var cta : w.cta.cluster.ctas) {
      if (Epoch.cta(cta.number) == Epoch.ctaOf(writer)) {
        return Sanitizer.of(cta).causality().isReleasedAsTensorMap(writer, w, lane);
      }
    }
    // The fences of other clusters are not kept: what is known of such a writer was handed over with care.
    return Sanitizer.of(w.cta).causality().knows(w, lane, writer);
  }

  /** A copy goes by the map at an address. */
  public void use(Issuer issuer, long address) {
    var buffer = sanitizer.shadow(address);
    if (buffer == null) return;
    var w = issuer.warp();
    int lane = issuer.lane();
    buffer.earlier().check(sanitizer, w, lane, address, Access.READ, issuer.site());
    var writers = writers(address);
    if (Arrays.stream(writers).allMatch(writer -> writer == 0)) return;
    long mine = Epoch.of(sanitizer.causality().base(w, MemoryOrder.Scope.NONE), lane, 0xF);
    for (int k = 0; k < WORDS; k++) {
      if (writers[k] == 0 || sanitizer.ordered(w, lane, mine, writers[k])) continue;
      report.conflict(w, lane, address + k * Shadow.WORD, issuer.site(), Access.READ, writers[k],
          site(buffer, address, k), Access.WRITE);
      return;
    }
    var known = acquisitions.getOrDefault(address, List.of()).reversed().stream()
        .anyMatch(a -> Arrays.equals(a.writers, writers) && a.isKnown(sanitizer.causality(), w, lane));
    if (known) return;
    for (int k = 0; k < WORDS; k++) {
      if (writers[k] == 0) continue;
      report.missingTensorMapFence(w, lane, address, issuer.site(), writers[k], site(buffer, address, k),
          isReleased(writers[k], w, lane));
      return;
    }
  }

  private static int site(GlobalShadow buffer, long address, int word) {
    int offset = (int) (address & AddressSpace.OFFSETS) + word * Shadow.WORD;
    return buffer.page(offset).writeSite((offset & GlobalShadow.PAGE - 1) >> 2);
  }
}
