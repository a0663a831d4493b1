package tilewright.simulator.async;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.sanitizer.Sanitizer;

/**
 * The {@code cp.async} copies of one warp (PTX ISA, cp.async). A copy may land at any moment between its issue and the
 * wait for it; the seed decides whether it lands at once or only at the wait. Groups are counted by lane.
 */
public final class AsyncCopies {
  private static final int ONE_IN = 4;

  private final Warp warp;
  private final List<Copy> pending = new ArrayList<>();
  private final int[] committed = new int[Warp.LANES];
  private int issued;

  /** One instruction's copies, a lane each. */
  private static final class Copy {
    final int[] to = new int[Warp.LANES];
    final long[] from = new long[Warp.LANES];
    final int[] size = new int[Warp.LANES];
    final int[] group = new int[Warp.LANES];
    int lanes;
    int bytes;
    int site;
    int number;
    boolean landed;
  }

  public AsyncCopies(Warp warp) {
    this.warp = warp;
  }

  static AsyncCopies of(Warp warp) {
    return CopyUnits.of(warp.cta).copies(warp);
  }

  public void reset() {
    pending.clear();
    Arrays.fill(committed, 0);
    issued = 0;
  }

  /** Copy instructions of this warp so far. */
  int issued() {
    return issued;
  }

  /** Copies {@code size} of {@code bytes} bytes and zeros the rest; the destination is in {@link Warp#offsets}. */
  public static void copy(Warp w, int mask, long[] from, long displacement, int bytes, int[] size, int site) {
    var copies = AsyncCopies.of(w);
    var copy = new Copy();
    copy.lanes = mask;
    copy.bytes = bytes;
    copy.site = site;
    int full = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      long source = from[lane] + displacement;
      int n = size[lane];
      if (n < 0 || n > bytes) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, n,
            w.who(lane) + " copies " + n + " bytes with a cp.async of " + bytes + ": src-size must not exceed it");
      }
      // Nothing is read from the source of an empty copy: that is how kernels mask their tails.
      if (n > 0) checkSource(w, lane, source, n, bytes, site);
      copy.to[lane] = w.offsets[lane];
      copy.from[lane] = source;
      copy.size[lane] = n;
      copy.group[lane] = copies.committed[lane];
      if (n == bytes) full |= 1 << lane;
    }
    copy.number = copies.issued++;
    copies.pending.add(copy);
    if (w.cta.watch != null) w.cta.watch.copy(w, mask, full, copy.from, copy.to, bytes, site);
    if (w.cta.random().nextInt(ONE_IN) == 0) {
      copies.land(copy, mask);
      copy.landed = true;
    }
  }

  private static void checkSource(Warp w, int lane, long source, int n, int bytes, int site) {
    long offset = source & AddressSpace.OFFSETS;
    if (offset + n > w.cta.space.buffer(source).length) {
      throw Memory.outOfBounds(w, lane, source, offset, n, Access.READ, site);
    }
    if ((offset & bytes - 1) != 0) throw Memory.misaligned(w, lane, source, offset, bytes, site);
  }

  private void land(Copy copy, int lanes) {
    byte[] shared = warp.cta.shared;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((lanes >>> lane & 1) == 0) continue;
      int to = copy.to[lane];
      int n = copy.size[lane];
      if (n > 0) {
        var source = warp.cta.space.buffer(copy.from[lane]);
        System.arraycopy(source, (int) (copy.from[lane] & AddressSpace.OFFSETS), shared, to, n);
      }
      if (n < copy.bytes) Arrays.fill(shared, to + n, to + copy.bytes, (byte) 0);
    }
  }

  public static void commit(Warp w, int mask) {
    for (int lane = 0; lane < Warp.LANES; lane++) if ((mask >>> lane & 1) != 0) AsyncCopies.of(w).committed[lane]++;
  }

  /** Waits for all groups but the newest {@code groups}. */
  public static void waitGroup(Warp w, int mask, int groups) {
    AsyncCopies.of(w).complete(mask, groups);
  }

  public static void waitAll(Warp w, int mask) {
    AsyncCopies.of(w).complete(mask, -1);
  }

  private void complete(int mask, int groups) {
    complete(copy -> {
      int lanes = 0;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((mask & copy.lanes) >>> lane << 31 != 0 && copy.group[lane] < committed[lane] - groups) lanes |= 1 << lane;
      }
      return lanes;
    });
  }

  /** Lands a lane's part of the first {@code number} copies. */
  void completeUntil(int lane, int number) {
    complete(copy -> copy.number < number ? copy.lanes & 1 << lane : 0);
  }

  private void complete(ToIntFunction<Copy> which) {
    int kept = 0;
    for (var copy : pending) {
      int lanes = which.applyAsInt(copy);
      if (lanes != 0) {
        if (!copy.landed) land(copy, lanes);
        if (warp.cta.state.sanitize) {
          Sanitizer.of(warp.cta).async().copied(warp, lanes, copy.to, copy.bytes, copy.site);
        }
        copy.lanes &= ~lanes;
      }
      if (copy.lanes != 0) pending.set(kept++, copy);
    }
    pending.subList(kept, pending.size()).clear();
  }

  /** The lanes exit: their copies land now at the latest. */
  public void finish(int lanes) {
    if (!pending.isEmpty()) complete(lanes, -1);
  }
}
