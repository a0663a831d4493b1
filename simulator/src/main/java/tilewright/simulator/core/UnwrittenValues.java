package tilewright.simulator.core;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Bits in registers of one warp that come from memory that nobody had written. Loading them is no fault, nor is
 * computing with them: {@link UndefinedFlow} follows them from register to register. Reported is what they decide: a
 * branch, whether something happens, an address, and what leaves the registers. A register is known by its number.
 */
public final class UnwrittenValues {
  /** Bytes of the widest access whose registers are followed. */
  private static final int WIDEST = 32;

  /** A load that has found such bytes. */
  public record Origin(int site, int bytes, long address) {}

  /** The undefined bits of a register, by lane. */
  private static final class Held {
    int lanes;
    final long[] bits = new long[Warp.LANES];
    final Origin[] origins = new Origin[Warp.LANES];

    void put(int lane, long undefined, Origin origin) {
      bits[lane] = undefined;
      origins[lane] = origin;
      if (undefined == 0) {
        lanes &= ~(1 << lane);
      } else {
        lanes |= 1 << lane;
      }
    }
  }

  private final Map<Integer, Held> held = new HashMap<>();
  /** The load under way. */
  private int loading = Fault.NO_SITE;
  private int bytes;
  /** By byte of the access, the lanes for which it is missing, and where one is. */
  private final int[] missing = new int[WIDEST];
  private final long[] addresses = new long[Warp.LANES];
  private boolean any;

  void reset() {
    held.clear();
    loading = Fault.NO_SITE;
  }

  /** Begins a load; its registers follow. */
  public static void loading(Warp w, int mask, int site) {
    var u = w.unwritten;
    u.loading = site;
    if (u.any) Arrays.fill(u.missing, 0);
    u.any = false;
  }

  /**
   * Notes bytes that are missing; returns false if the access is no load whose registers follow.
   *
   * @param first the first byte of the access that {@code which} has a bit for
   */
  public boolean missing(int lane, int first, int which, long address, int accessBytes, int site) {
    if (site != loading || first >= WIDEST) return false;
    bytes = accessBytes;
    for (int rest = which; rest != 0; rest &= rest - 1) {
      int at = first + Integer.numberOfTrailingZeros(rest);
      if (at >= 0 && at < WIDEST) missing[at] |= 1 << lane;
    }
    addresses[lane] = address;
    any = true;
    return true;
  }

  /** Notes that a register has taken bytes of the access; with sign, the last one's undefined sign fills it. */
  public static void filled(Warp w, int mask, int register, int first, int count, int signed) {
    var u = w.unwritten;
    if (!u.any && u.held.isEmpty()) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long undefined = 0;
      for (int k = count - 1; k >= 0; k--) {
        if ((u.missing[first + k] >>> lane & 1) == 0) continue;
        undefined |= (signed != 0 && k == count - 1 ? -1L : 0xFFL) << Byte.SIZE * k;
      }
      u.put(w, lane, register, undefined, undefined == 0 ? null : u.origin(lane));
    }
  }

  private Origin origin(int lane) {
    return new Origin(loading, bytes, addresses[lane]);
  }

  /** Notes that a register has taken a part of a matrix whose rows the lanes from 8·matrix on name. */
  public static void filledMatrix(Warp w, int mask, int register, int matrix, int transposed) {
    var u = w.unwritten;
    if (!u.any && u.held.isEmpty()) return;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int row = 8 * matrix + (transposed != 0 ? 2 * (lane & 3) : lane >> 2);
      int word = transposed != 0 ? lane >> 3 : lane & 3;
      int rows = u.missingOfWord(word) & (transposed != 0 ? 3 << row : 1 << row);
      u.put(w, lane, register, rows == 0 ? 0 : -1, rows == 0 ? null : u.origin(Integer.numberOfTrailingZeros(rows)));
    }
  }

  private int missingOfWord(int word) {
    int at = word * Integer.BYTES;
    return missing[at] | missing[at + 1] | missing[at + 2] | missing[at + 3];
  }

  /** Notes that another instruction has given a register what is defined. */
  public static void defined(Warp w, int mask, int register) {
    var u = w.unwritten;
    if (!u.held.isEmpty()) u.drop(w, register, mask);
  }

  private void drop(Warp w, int register, int mask) {
    var h = held.get(register);
    if (h == null) return;
    h.lanes &= ~mask;
    if (h.lanes == 0) remove(w, register);
  }

  private void remove(Warp w, int register) {
    held.remove(register);
    if (held.isEmpty()) w.undefined = 0;
  }

  long bits(int lane, int register) {
    var h = held.get(register);
    return h == null || (h.lanes >>> lane & 1) == 0 ? 0 : h.bits[lane];
  }

  /** The load that undefined bits of a register come from. */
  Origin origin(int lane, int register) {
    return held.get(register).origins[lane];
  }

  /** @param origin where they come from; null without such bits */
  void put(Warp w, int lane, int register, long undefined, Origin origin) {
    if (undefined == 0) {
      drop(w, register, 1 << lane);
      return;
    }
    held.computeIfAbsent(register, _ -> new Held()).put(lane, undefined, origin);
    w.undefined |= 1 << lane;
  }

  /** Reports a register whose low {@code width} bits leave the registers, if any of them is undefined. */
  public static void used(Warp w, int mask, int register, int width, int site) {
    w.unwritten.report(w, mask, register, width, site, "uses");
  }

  /** Reports a predicate that decides where lanes go, or whether an instruction with an effect happens. */
  public static void decides(Warp w, int mask, int register, int site) {
    w.unwritten.report(w, mask, register, 1, site, "decides by");
  }

  private void report(Warp w, int mask, int register, int width, int site, String verb) {
    if (held.isEmpty()) return;
    var h = held.get(register);
    if (h == null) return;
    long which = width == Long.SIZE ? -1 : (1L << width) - 1;
    int found = 0;
    for (int rest = h.lanes & mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if ((h.bits[lane] & which) == 0) continue;
      found |= 1 << lane;
      var from = h.origins[lane];
      w.cta.watch.undefinedUse(w, lane, from, site, verb);
    }
    // Once is enough.
    drop(w, register, found);
  }
}
