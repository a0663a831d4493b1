package tilewright.simulator.memory;

import java.util.Arrays;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.ClusterAddresses;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;

/**
 * Turns the addresses of one warp access into places: the byte array each lane works on ({@link Warp#base}, or
 * {@link Warp#bases} when the lanes differ) and the offset in it. Every bounds, alignment and race check is here.
 */
public final class Memory {
  private Memory() {}

  /** An access to global or constant memory. */
  public static void global(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    long first = address[Integer.numberOfTrailingZeros(mask)] + displacement;
    byte[] base = w.cta.space.buffer(first);
    long window = first & ~AddressSpace.OFFSETS;
    w.base = base;
    if (!within(address, mask, displacement - window, base.length - bytes, bytes, w.offsets)) {
      scattered(w, mask, address, displacement, bytes, access, site);
    } else if (w.cta.watch != null) {
      w.cta.watch.global(w, mask, window, bytes, access, site);
    }
  }

  /**
   * Whether all addresses of the mask, with {@code add} added, are multiples of {@code bytes} from 0 to {@code last};
   * their places are {@code offsets} then. The usual case of all lanes has no branch, for the JIT to use vectors.
   */
  private static boolean within(long[] address, int mask, long add, long last, int bytes, int[] offsets) {
    long outside = 0;
    long low = 0;
    if (mask == -1) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        long a = address[lane] + add;
        outside |= a | last - a;
        low |= a;
        offsets[lane] = (int) a;
      }
    } else {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((mask >>> lane & 1) == 0) continue;
        long a = address[lane] + add;
        outside |= a | last - a;
        low |= a;
        offsets[lane] = (int) a;
      }
    }
    return outside >= 0 && (low & bytes - 1) == 0;
  }

  private static boolean within(int[] address, int mask, int add, int last, int bytes, int[] offsets) {
    int outside = 0;
    int low = 0;
    if (mask == -1) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int a = address[lane] + add;
        outside |= a | last - a;
        low |= a;
        offsets[lane] = a;
      }
    } else {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((mask >>> lane & 1) == 0) continue;
        int a = address[lane] + add;
        outside |= a | last - a;
        low |= a;
        offsets[lane] = a;
      }
    }
    return outside >= 0 && (low & bytes - 1) == 0;
  }

  /** An access through a generic address: global, shared, local or parameter memory, lane by lane. */
  public static void generic(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    long first = address[Integer.numberOfTrailingZeros(mask)] + displacement;
    if (AddressSpace.isShared(first) || AddressSpace.isLocal(first) || AddressSpace.isParameter(first)) {
      scattered(w, mask, address, displacement, bytes, access, site);
    } else {
      global(w, mask, address, displacement, bytes, access, site);
    }
  }

  /** Like {@link #generic}, where lanes may also give addresses of the shared window's own. */
  public static void genericOrCluster(Warp w, int mask, long[] address, long displacement, int bytes, int access,
      int site) {
    var own = address.clone();
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if (AddressSpace.window(address[lane]) == 0) own[lane] |= AddressSpace.SHARED_WINDOW;
    }
    generic(w, mask, own, displacement, bytes, access, site);
  }

  /** An access through addresses of the shared memory of any CTA of the cluster. */
  public static void cluster(Warp w, int mask, int[] address, long displacement, int bytes, int access, int site) {
    var wide = new long[Warp.LANES];
    for (int lane = 0; lane < Warp.LANES; lane++) wide[lane] = address[lane] & 0xFFFF_FFFFL;
    cluster(w, mask, wide, displacement, bytes, access, site);
  }

  public static void cluster(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    long beyond = displacement + AddressSpace.SHARED_WINDOW;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0 && !AddressSpace.isShared(address[lane] + beyond)) {
        throw sharedFault(w, lane, address[lane] + displacement - w.sharedBase, bytes, access, site);
      }
    }
    scattered(w, mask, address, beyond, bytes, access, site);
  }

  private static void scattered(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    w.base = Warp.PER_LANE;
    int sharedLanes = 0;
    int foreignLanes = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      long a = address[lane] + displacement;
      long offset = a & AddressSpace.OFFSETS;
      byte[] base;
      long extent;
      int start = 0;
      w.owners[lane] = null;
      if (AddressSpace.isShared(a)) {
        int rank = ClusterAddresses.rank(a);
        if (rank >= w.cta.cluster.ctas.length) throw outOfBounds(w, lane, a, offset, bytes, access, site);
        var owner = w.cta.cluster.alive(rank, w, lane, site);
        if (owner == w.cta) {
          sharedLanes |= 1 << lane;
        } else {
          foreignLanes |= 1 << lane;
        }
        w.owners[lane] = owner;
        base = owner.shared;
        extent = owner.sharedBytes;
        offset &= AddressSpace.IN_CTA;
      } else if (AddressSpace.isLocal(a)) {
        base = w.local;
        extent = w.cta.kernel.memory().localBytes();
        start = lane * w.cta.kernel.memory().localBytes();
      } else if (AddressSpace.isParameter(a)) {
        base = w.cta.parameters;
        extent = base.length;
      } else {
        base = w.cta.space.buffer(a);
        extent = base.length;
      }
      if (offset + bytes > extent) throw outOfBounds(w, lane, a, offset, bytes, access, site);
      if ((offset & bytes - 1) != 0) throw misaligned(w, lane, a, offset, bytes, site);
      w.bases[lane] = base;
      w.offsets[lane] = start + (int) offset;
    }
    if (w.cta.watch == null) return;
    if (foreignLanes != 0) w.cta.watch.foreign(w, foreignLanes, bytes, access, site);
    watch(w, mask & ~foreignLanes, sharedLanes, address, displacement, bytes, access, site);
  }

  /** Tells the sanitizer of an access whose lanes may be in different spaces and buffers. */
  private static void watch(Warp w, int mask, int sharedLanes, long[] address, long displacement, int bytes, int access,
      int site) {
    if (sharedLanes != 0) w.cta.watch.shared(w, sharedLanes, bytes, access, site);
    for (int rest = mask & ~sharedLanes; rest != 0; ) {
      long first = address[Integer.numberOfTrailingZeros(rest)] + displacement;
      int together = 0;
      for (int lane = 0; lane < Warp.LANES; lane++) {
        boolean same = AddressSpace.window(address[lane] + displacement) == AddressSpace.window(first);
        if ((rest >>> lane & 1) != 0 && same) together |= 1 << lane;
      }
      rest &= ~together;
      if (AddressSpace.isLocal(first)) {
        w.cta.watch.local(w, together, bytes, access, site);
      } else {
        w.cta.watch.global(w, together, first & ~AddressSpace.OFFSETS, bytes, access, site);
      }
    }
  }

  /** An access to the CTA's shared memory through 32-bit addresses. */
  public static void shared(Warp w, int mask, int[] address, long displacement, int bytes, int access, int site) {
    int add = (int) displacement - w.sharedBase;
    int last = w.cta.sharedBytes - bytes;
    w.base = w.cta.shared;
    if (!within(address, mask, add, last, bytes, w.offsets)) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((mask >>> lane & 1) == 0) continue;
        int a = address[lane] + add;
        if (a < 0 || a > last || (a & bytes - 1) != 0) throw sharedFault(w, lane, a, bytes, access, site);
      }
    }
    if (access == Access.PLACE) Arrays.fill(w.owners, w.cta);
    if (w.cta.watch != null) w.cta.watch.shared(w, mask, bytes, access, site);
  }

  /** An access to the CTA's shared memory through 64-bit addresses of the shared window's own. */
  public static void shared(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    int last = w.cta.sharedBytes - bytes;
    w.base = w.cta.shared;
    long add = displacement - w.sharedBase;
    if (!within(address, mask, add, last, bytes, w.offsets)) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        if ((mask >>> lane & 1) == 0) continue;
        long a = address[lane] + add;
        if (a < 0 || a > last || (a & bytes - 1) != 0) throw sharedFault(w, lane, a, bytes, access, site);
      }
    }
    if (access == Access.PLACE) Arrays.fill(w.owners, w.cta);
    if (w.cta.watch != null) w.cta.watch.shared(w, mask, bytes, access, site);
  }

  /**
   * Like {@link #shared(Warp, int, long[], long, int, int, int)}, where lanes may also give generic addresses of shared
   * memory.
   */
  public static void sharedOrGeneric(Warp w, int mask, long[] address, long displacement, int bytes, int access,
      int site) {
    var own = address.clone();
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if (AddressSpace.isShared(address[lane])) own[lane] = address[lane] & AddressSpace.OFFSETS;
    }
    shared(w, mask, own, displacement, bytes, access, site);
  }

  /** An access to the lanes' own local memory. */
  public static void local(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    int extent = w.cta.kernel.memory().localBytes();
    w.base = w.local;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      long a = address[lane] + displacement;
      if (a < 0 || a > extent - bytes) {
        throw outOfBounds(w, lane, AddressSpace.LOCAL_WINDOW + a, a, bytes, access, site);
      }
      if ((a & bytes - 1) != 0) throw misaligned(w, lane, AddressSpace.LOCAL_WINDOW + a, a, bytes, site);
      w.offsets[lane] = lane * extent + (int) a;
    }
    if (w.cta.watch != null) w.cta.watch.local(w, mask, bytes, access, site);
  }

  /** A read of the kernel's parameters. */
  public static void parameter(Warp w, int mask, long[] address, long displacement, int bytes, int access, int site) {
    w.base = w.cta.parameters;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      long a = address[lane] + displacement;
      if (a < 0 || a > w.base.length - bytes) {
        throw outOfBounds(w, lane, AddressSpace.PARAMETER_WINDOW + a, a, bytes, access, site);
      }
      if ((a & bytes - 1) != 0) throw misaligned(w, lane, AddressSpace.PARAMETER_WINDOW + a, a, bytes, site);
      w.offsets[lane] = (int) a;
    }
  }

  /** @param a an offset from the beginning of the CTA's own shared memory that may not be accessed */
  private static Fault sharedFault(Warp w, int lane, long a, int bytes, int access, int site) {
    long rank = a + w.sharedBase >> AddressSpace.RANK_BITS;
    if (rank >= 0 && rank < w.cta.cluster.ctas.length && rank != w.cta.rank) return foreign(w, lane, a, rank, site);
    long address = AddressSpace.SHARED_WINDOW + a;
    return a > w.cta.sharedBytes - bytes || a < 0 ? outOfBounds(w, lane, address, a, bytes, access, site)
        : misaligned(w, lane, address, a, bytes, site);
  }

  private static Fault foreign(Warp w, int lane, long a, long rank, int site) {
    return new Fault(Kind.OUT_OF_BOUNDS, site, lane, a, w.who(lane) + ", of rank " + w.cta.rank
        + ", uses an address in the shared memory of rank " + rank
        + " of its cluster as one of its own: another block's needs .shared::cluster or a generic address");
  }

  public static Fault outOfBounds(Warp w, int lane, long address, long offset, int bytes, int access, int site) {
    var verb = switch (access) {
      case Access.READ -> "reads ";
      case Access.WRITE -> "writes ";
      default -> "updates ";
    };
    var unreachable = w.cta.space.unreachable(address);
    if (unreachable.isPresent()) {
      return new Fault(Kind.NO_PEER_ACCESS, site, lane, offset,
          w.who(lane) + " " + verb + bytes + " bytes out of its reach: " + unreachable.get());
    }
    var extent = AddressSpace.isShared(address) ? " (the CTA has " + w.cta.sharedBytes + " bytes)"
        : AddressSpace.isLocal(address) ? " (a thread has " + w.cta.kernel.memory().localBytes() + " bytes)" : "";
    return new Fault(Kind.OUT_OF_BOUNDS, site, lane, offset,
        w.who(lane) + " " + verb + bytes + " bytes out of bounds: " + w.cta.space.describe(address) + extent);
  }

  public static Fault misaligned(Warp w, int lane, long address, long offset, int bytes, int site) {
    return new Fault(Kind.MISALIGNED, site, lane, offset, w.who(lane) + " accesses " + bytes
        + " bytes at an address that is no multiple of " + bytes + ": " + w.cta.space.describe(address));
  }
}
