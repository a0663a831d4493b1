package tilewright.simulator.wgmma;

import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tensorcore.MmaType;

/**
 * {@code wgmma} as one warp executes it (PTX ISA, Asynchronous Warpgroup Level Matrix Multiply-Accumulate). An
 * instruction's registers are named one by one, then it is issued.
 */
public final class Wgmma {
  /** Bits of {@code flags}. */
  public static final int A_IN_REGISTERS = 1;
  public static final int TRANSPOSE_A = 2;
  public static final int TRANSPOSE_B = 4;
  /** The product counts negative. */
  public static final int NEGATE = 8;
  public static final int SPARSE = 16;
  public static final int SATURATE = 32;

  private Wgmma() {}

  /** An instruction begins whose D has so many registers. */
  public static void begin(Warp w, int mask, int registers) {
    WgmmaWarp.of(w).fragments = new WgmmaFragments(registers);
  }

  public static void d(Warp w, int mask, int register, float[] lanes) {
    WgmmaWarp.of(w).fragments.floats[register] = lanes;
  }

  public static void d(Warp w, int mask, int register, int[] lanes) {
    WgmmaWarp.of(w).fragments.ints[register] = lanes;
  }

  public static void a(Warp w, int mask, int register, int[] lanes) {
    WgmmaWarp.of(w).fragments.a[register] = lanes;
  }

  public static void metadata(Warp w, int mask, int[] lanes) {
    WgmmaWarp.of(w).fragments.metadata = lanes;
  }

  /** Issues an operation with A in registers; types are ordinals of {@link MmaType}. */
  public static void issue(Warp w, int mask, long[] b, int scaleSlot, int columns, int depth, int aType, int bType,
      int dType, int selector, int flags, int site) {
    issue(w, mask, 0, uniform(w, b, site), scaleSlot, columns, depth, aType, bType, dType, selector, flags, site);
  }

  /** Issues an operation with A in shared memory. */
  public static void issue(Warp w, int mask, long[] a, long[] b, int scaleSlot, int columns, int depth, int aType,
      int bType, int dType, int selector, int flags, int site) {
    issue(w, mask, uniform(w, a, site), uniform(w, b, site), scaleSlot, columns, depth, aType, bType, dType, selector,
        flags, site);
  }

  private static void issue(Warp w, int mask, long a, long b, int scaleSlot, int columns, int depth, int aType,
      int bType, int dType, int selector, int flags, int site) {
    var group = Warpgroup.of(w, mask, site);
    int scale = w.p[scaleSlot];
    if (scale != 0 && scale != -1) {
      throw Warpgroup.invalid(w, site, " has a scale-d that differs between its warp's lanes: "
          + LaneReport.ranges(scale) + " have it true");
    }
    var form = new WgmmaForm(columns, depth, MmaType.at(aType), MmaType.at(bType), MmaType.at(dType), selector, flags);
    var operation = group.join(w, WgmmaWarp.of(w).fragments, form, a, b, scale != 0, site);
    if (w.cta.state.sanitize) WgmmaWarp.of(w).watch.issued(operation, WgmmaWarp.of(w).fragments);
  }

  private static long uniform(Warp w, long[] lanes, int site) {
    for (int lane = 1; lane < Warp.LANES; lane++) {
      if (lanes[lane] != lanes[0]) {
        throw Warpgroup.invalid(w, site, " has a matrix descriptor that differs between its warp's lanes: 0x"
            + Long.toHexString(lanes[0]) + " in lane 0, 0x" + Long.toHexString(lanes[lane]) + " in lane " + lane);
      }
    }
    return lanes[0];
  }

  public static void fence(Warp w, int mask, int site) {
    Warpgroup.of(w, mask, site);
    if (w.cta.state.sanitize) WgmmaWarp.of(w).watch.fence();
  }

  public static void commit(Warp w, int mask, int site) {
    Warpgroup.of(w, mask, site).commit(w);
  }

  /** Another instruction is about to read or write a register that some wgmma works on. */
  public static void touch(Warp w, int mask, int[] lanes, int writes, int site) {
    if (w.cta.state.sanitize) WgmmaWarp.of(w).watch.touched(lanes, writes != 0, site);
  }

  public static void touch(Warp w, int mask, float[] lanes, int writes, int site) {
    if (w.cta.state.sanitize) WgmmaWarp.of(w).watch.touched(lanes, writes != 0, site);
  }

  /** Waits for all groups but the newest so many; returns whether the warp must wait. */
  public static int await(Warp w, int mask, int groups, int site) {
    var group = Warpgroup.of(w, mask, site);
    long awaited = group.awaited(w, groups);
    if (group.completed() >= awaited) {
      if (w.cta.state.sanitize) group.tell(w, awaited);
      return 0;
    }
    w.current.state = LaneGroup.State.AT_WGMMA;
    w.current.site = site;
    return 1;
  }
}
