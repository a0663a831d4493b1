package tilewright.simulator.core;

/** {@code mma.sync} m16n8k16 and m16n8k8 on 16-bit inputs (PTX ISA, mma: fragments), bit for bit. */
public final class TensorCores {
  private static final int ROWS = 16;

  private TensorCores() {}

  /** f32 accumulators. */
  public static void m16n8k16(Warp w, int mask, int[] a0, int[] a1, int[] a2, int[] a3, int[] b0, int[] b1, float[] c0,
      float[] c1, float[] c2, float[] c3, float[] d0, float[] d1, float[] d2, float[] d3, int bf16) {
    var t = w.cta.tile;
    t.inputs(a0, a1, b0, 0, bf16 != 0);
    t.inputs(a2, a3, b1, 8, bf16 != 0);
    accumulate(t, 16, bf16, c0, c1, c2, c3, d0, d1, d2, d3);
  }

  public static void m16n8k8(Warp w, int mask, int[] a0, int[] a1, int[] b0, float[] c0, float[] c1, float[] c2,
      float[] c3, float[] d0, float[] d1, float[] d2, float[] d3, int bf16) {
    var t = w.cta.tile;
    t.inputs(a0, a1, b0, 0, bf16 != 0);
    accumulate(t, 8, bf16, c0, c1, c2, c3, d0, d1, d2, d3);
  }

  private static void accumulate(TensorTile t, int depth, int bf16, float[] c0, float[] c1, float[] c2, float[] c3,
      float[] d0, float[] d1, float[] d2, float[] d3) {
    float[] sums = t.sums;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int at = place(lane);
      sums[at] = c0[lane];
      sums[at + ROWS] = c1[lane];
      sums[at + 8] = c2[lane];
      sums[at + ROWS + 8] = c3[lane];
    }
    t.multiply(depth, bf16 != 0 ? MmaType.BF16 : MmaType.F16, false);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int at = place(lane);
      d0[lane] = sums[at];
      d1[lane] = sums[at + ROWS];
      d2[lane] = sums[at + 8];
      d3[lane] = sums[at + ROWS + 8];
    }
  }

  /** Where a lane's first accumulator is: row lane/4, column 2(lane mod 4), columns ROWS apart. */
  private static int place(int lane) {
    return (lane >> 2) + 2 * (lane & 3) * ROWS;
  }

  /** f16 accumulators, two to a register. */
  public static void m16n8k16(Warp w, int mask, int[] a0, int[] a1, int[] a2, int[] a3, int[] b0, int[] b1, int[] c0,
      int[] c1, int[] d0, int[] d1, int bf16) {
    var t = w.cta.tile;
    t.inputs(a0, a1, b0, 0, false);
    t.inputs(a2, a3, b1, 8, false);
    accumulate(t, 16, c0, c1, d0, d1);
  }

  public static void m16n8k8(Warp w, int mask, int[] a0, int[] a1, int[] b0, int[] c0, int[] c1, int[] d0, int[] d1,
      int bf16) {
    var t = w.cta.tile;
    t.inputs(a0, a1, b0, 0, false);
    accumulate(t, 8, c0, c1, d0, d1);
  }

  private static void accumulate(TensorTile t, int depth, int[] c0, int[] c1, int[] d0, int[] d1) {
    float[] sums = t.sums;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int at = place(lane);
      sums[at] = Conversions.fromF16(c0[lane] & 0xFFFF);
      sums[at + ROWS] = Conversions.fromF16(c0[lane] >>> 16);
      sums[at + 8] = Conversions.fromF16(c1[lane] & 0xFFFF);
      sums[at + ROWS + 8] = Conversions.fromF16(c1[lane] >>> 16);
    }
    t.multiply(depth, MmaType.F16, true);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int at = place(lane);
      d0[lane] = HalfMath.packF16(sums[at + ROWS], sums[at]);
      d1[lane] = HalfMath.packF16(sums[at + ROWS + 8], sums[at + 8]);
    }
  }
}
