package tilewright.simulator.core;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Registers of one warp that hold what a load found in memory that nobody had written. Loading ahead is no fault, so
 * that it is reported when an instruction other than a move or a select takes the value as an operand. Watched code
 * tells what it does with registers that loads may reach; a register is known by its number.
 */
public final class UnwrittenValues {
  private static final int WORDS = 8;
  private static final int NONE = -1;

  /** Unwritten values that some lanes of a register hold. */
  private static final class Held {
    int lanes;
    int site;
    int bytes;
    final long[] addresses = new long[Warp.LANES];
  }

  private final Map<Integer, Held> held = new HashMap<>();
  /** The load under way. */
  private int loading = Fault.NO_SITE;
  private int bytes;
  /** By word of the access, the lanes for which it is missing, and where one is. */
  private final int[] missing = new int[WORDS];
  private final long[] addresses = new long[Warp.LANES];
  private boolean any;

  void reset() {
    held.clear();
    loading = Fault.NO_SITE;
  }

  /** A load begins; its registers follow. */
  public static void loading(Warp w, int mask, int site) {
    var u = w.unwritten;
    u.loading = site;
    if (u.any) Arrays.fill(u.missing, 0);
    u.any = false;
  }

  /** Takes note of a word that is missing; returns false if the access is no load whose registers follow. */
  boolean missing(int lane, int word, long address, int accessBytes, int site) {
    if (site != loading || word >= WORDS) return false;
    bytes = accessBytes;
    missing[word] |= 1 << lane;
    addresses[lane] = address;
    any = true;
    return true;
  }

  /** A register has taken bytes of the access. */
  public static void filled(Warp w, int mask, int register, int first, int count) {
    var u = w.unwritten;
    if (!u.any && u.held.isEmpty()) return;
    int lanes = 0;
    for (int word = first >> 2; word <= first + count - 1 >> 2; word++) lanes |= u.missing[word];
    u.set(register, mask, lanes & mask, u.addresses);
  }

  /** A register has taken a part of a matrix whose rows the lanes from 8·matrix on name. */
  public static void filledMatrix(Warp w, int mask, int register, int matrix, int transposed) {
    var u = w.unwritten;
    if (!u.any && u.held.isEmpty()) return;
    int lanes = 0;
    var from = new long[Warp.LANES];
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int row = 8 * matrix + (transposed != 0 ? 2 * (lane & 3) : lane >> 2);
      int word = transposed != 0 ? lane >> 3 : lane & 3;
      int rows = transposed != 0 ? 3 << row : 1 << row;
      if ((u.missing[word] & rows) == 0) continue;
      lanes |= 1 << lane;
      from[lane] = u.addresses[(u.missing[word] >>> row & 1) != 0 ? row : row + 1];
    }
    u.set(register, mask, lanes, from);
  }

  private void set(int register, int mask, int lanes, long[] from) {
    var h = held.get(register);
    if (h == null && lanes == 0) return;
    if (h == null) held.put(register, h = new Held());
    h.lanes = h.lanes & ~mask | lanes;
    if (lanes != 0) {
      h.site = loading;
      h.bytes = bytes;
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        h.addresses[lane] = from[lane];
      }
    }
    if (h.lanes == 0) held.remove(register);
  }

  /** A register becomes a copy of others, or of none; {@link #NONE} stands for anything else. */
  public static void moved(Warp w, int mask, int to, int a, int b) {
    var u = w.unwritten;
    if (!u.held.isEmpty()) u.copy(to, mask, a, mask, b, mask);
  }

  /** A register becomes a copy of one of two, by a predicate. */
  public static void selected(Warp w, int mask, int to, int a, int b, int predicate) {
    var u = w.unwritten;
    if (!u.held.isEmpty()) u.copy(to, mask, a, mask & w.p[predicate], b, mask & ~w.p[predicate]);
  }

  private void copy(int to, int mask, int a, int ofA, int b, int ofB) {
    var first = held.get(a);
    var second = held.get(b);
    int fromA = first == null ? 0 : first.lanes & ofA;
    int fromB = second == null ? 0 : second.lanes & ofB & ~fromA;
    if (first == null && second == null && !held.containsKey(to)) return;
    var copy = new Held();
    var source = fromA != 0 ? first : second;
    var old = held.get(to);
    if (old != null) {
      copy.lanes = old.lanes & ~mask;
      copy.site = old.site;
      copy.bytes = old.bytes;
      System.arraycopy(old.addresses, 0, copy.addresses, 0, Warp.LANES);
    }
    copy.lanes |= fromA | fromB;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((fromA >>> lane & 1) != 0) copy.addresses[lane] = first.addresses[lane];
      if ((fromB >>> lane & 1) != 0) copy.addresses[lane] = second.addresses[lane];
    }
    if ((fromA | fromB) != 0) {
      copy.site = source.site;
      copy.bytes = source.bytes;
    }
    if (copy.lanes == 0) {
      held.remove(to);
    } else {
      held.put(to, copy);
    }
  }

  /** An instruction takes a register as an operand. */
  public static void used(Warp w, int mask, int register, int site) {
    var u = w.unwritten;
    if (u.held.isEmpty()) return;
    var h = u.held.get(register);
    if (h == null) return;
    for (int rest = h.lanes & mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      w.cta.sanitizer.report().uninitialised(w, lane, h.addresses[lane], h.bytes, h.site, site);
    }
    // Once is enough.
    h.lanes &= ~mask;
    if (h.lanes == 0) u.held.remove(register);
  }
}
