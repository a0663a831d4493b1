package tilewright.simulator.memory;

import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;

/** {@code st.bulk}: sets a piece of shared memory to zero (PTX ISA, st.bulk). */
public final class BulkStores {
  private static final long LARGEST = 1 << 24;

  private BulkStores() {}

  /** @param address a 32-bit address in shared memory */
  public static void zero(Warp w, int mask, int[] address, long displacement, long[] bytes, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      check(w, lane, bytes[lane], site);
      for (long k = 0; k < bytes[lane]; k += Long.BYTES) {
        Memory.shared(w, 1 << lane, address, displacement + k, Long.BYTES, Access.WRITE, site);
        clear(w, lane);
      }
    }
  }

  /** @param address a generic address */
  public static void zero(Warp w, int mask, long[] address, long displacement, long[] bytes, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      check(w, lane, bytes[lane], site);
      for (long k = 0; k < bytes[lane]; k += Long.BYTES) {
        Memory.generic(w, 1 << lane, address, displacement + k, Long.BYTES, Access.WRITE, site);
        clear(w, lane);
      }
    }
  }

  private static void check(Warp w, int lane, long bytes, int site) {
    if (bytes >= 0 && bytes <= LARGEST && bytes % Long.BYTES == 0) return;
    throw new Fault(Kind.INVALID_OPERATION, site, lane, bytes,
        w.who(lane) + " bulk-stores " + bytes + " bytes, which is no multiple of 8 up to " + LARGEST);
  }

  private static void clear(Warp w, int lane) {
    Moves.LONG.set(w.base == Warp.PER_LANE ? w.bases[lane] : w.base, w.offsets[lane], 0L);
  }
}
