package tilewright.simulator.core;

import tilewright.simulator.tensorcore.DotModel;
import tilewright.simulator.tensorcore.Factors;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.TensorTile;

/**
 * {@code mma.sync} m16n8k16 and m16n8k8 on 16-bit inputs (PTX ISA, mma: fragments), bit for bit. A lone multiplication
 * runs as that of the transposes, because loops over its 16 rows are better than over its 8 columns; several that share
 * A run as one, with their columns side by side.
 */
public final class TensorCores {
  /** Multiplications that run as one. */
  public static final int MOST_JOINED = 8;
  private static final int ROWS = 16;
  private static final int COLUMNS = 8;
  private static final int HALF = 8;

  private final TensorTile tile;
  /** Of sums in f32 and in f16. */
  private final DotModel single;
  private final DotModel half;
  private int depth;
  private int joined;
  private int[][] left = new int[4][];
  private final int[][][] right = new int[MOST_JOINED][2][];
  private final float[][][] c = new float[MOST_JOINED][4][];
  private final float[][][] d = new float[MOST_JOINED][4][];

  TensorCores(TensorTile tile, int architecture) {
    this.tile = tile;
    single = DotModel.warp(architecture, MmaType.F16, false);
    half = DotModel.warp(architecture, MmaType.F16, true);
  }

  /** Begins a joint multiplication by A, sixteen deep. */
  public static void left(Warp w, int mask, int[] a0, int[] a1, int[] a2, int[] a3) {
    var t = w.cta.tensorCores;
    t.left = new int[][] {a0, a1, a2, a3};
    t.depth = 16;
    t.joined = 0;
  }

  /** Begins a joint multiplication by A, eight deep. */
  public static void left(Warp w, int mask, int[] a0, int[] a1) {
    var t = w.cta.tensorCores;
    t.left = new int[][] {a0, a1};
    t.depth = 8;
    t.joined = 0;
  }

  /** Joins one multiplication, sixteen deep. */
  public static void right(Warp w, int mask, int[] b0, int[] b1, float[] c0, float[] c1, float[] c2, float[] c3,
      float[] d0, float[] d1, float[] d2, float[] d3) {
    var t = w.cta.tensorCores;
    t.right[t.joined][1] = b1;
    right(w, mask, b0, c0, c1, c2, c3, d0, d1, d2, d3);
  }

  /** Joins one multiplication, eight deep. */
  public static void right(Warp w, int mask, int[] b0, float[] c0, float[] c1, float[] c2, float[] c3, float[] d0,
      float[] d1, float[] d2, float[] d3) {
    var t = w.cta.tensorCores;
    t.right[t.joined][0] = b0;
    set(t.c[t.joined], c0, c1, c2, c3);
    set(t.d[t.joined], d0, d1, d2, d3);
    t.joined++;
  }

  private static void set(float[][] registers, float[] r0, float[] r1, float[] r2, float[] r3) {
    registers[0] = r0;
    registers[1] = r1;
    registers[2] = r2;
    registers[3] = r3;
  }

  /** Runs the joint multiplication. */
  public static void multiply(Warp w, int mask, int bf16) {
    w.cta.tensorCores.multiply(bf16 != 0);
  }

  private void multiply(boolean bf16) {
    for (int k = 0; k < depth; k += HALF) {
      takeA(tile.left.words, left[k / 4], left[k / 4 + 1], k, bf16);
      for (int j = 0; j < joined; j++) takeB(tile.right.words, right[j][k / HALF], k, COLUMNS * j, bf16);
    }
    for (int j = 0; j < joined; j++) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        float[] upper = tile.sums[lane >> 2];
        float[] lower = tile.sums[(lane >> 2) + HALF];
        int column = COLUMNS * j + 2 * (lane & 3);
        upper[column] = c[j][0][lane];
        upper[column + 1] = c[j][1][lane];
        lower[column] = c[j][2][lane];
        lower[column + 1] = c[j][3][lane];
      }
    }
    tile.multiply(ROWS, COLUMNS * joined, depth, type(bf16), type(bf16), single);
    for (int j = 0; j < joined; j++) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        float[] upper = tile.sums[lane >> 2];
        float[] lower = tile.sums[(lane >> 2) + HALF];
        int column = COLUMNS * j + 2 * (lane & 3);
        d[j][0][lane] = upper[column];
        d[j][1][lane] = upper[column + 1];
        d[j][2][lane] = lower[column];
        d[j][3][lane] = lower[column + 1];
      }
    }
  }

  private static MmaType type(boolean bf16) {
    return bf16 ? MmaType.BF16 : MmaType.F16;
  }

  /** Eight steps of A, whose lanes hold pairs of steps of rows g and g+8, g = lane/4. */
  private static void takeA(int[][] words, int[] upper, int[] lower, int k, boolean bf16) {
    takeB(words, upper, k, 0, bf16);
    takeB(words, lower, k, HALF, bf16);
  }

  /** Eight steps of B, whose lanes hold pairs of steps of column g = lane/4. */
  private static void takeB(int[][] words, int[] pairs, int k, int column, boolean bf16) {
    for (int step = 0; step < 4; step++) {
      int[] even = words[k + 2 * step];
      int[] odd = words[k + 2 * step + 1];
      if (bf16) {
        for (int g = 0; g < HALF; g++) {
          int pair = pairs[4 * g + step];
          even[column + g] = pair << 16;
          odd[column + g] = pair & 0xFFFF_0000;
        }
      } else {
        for (int g = 0; g < HALF; g++) {
          int pair = pairs[4 * g + step];
          even[column + g] = Factors.halfWord(pair);
          odd[column + g] = Factors.halfWord(pair >>> 16);
        }
      }
    }
  }

  /** One multiplication with f32 accumulators. */
  public static void m16n8k16(Warp w, int mask, int[] a0, int[] a1, int[] a2, int[] a3, int[] b0, int[] b1, float[] c0,
      float[] c1, float[] c2, float[] c3, float[] d0, float[] d1, float[] d2, float[] d3, int bf16) {
    var t = w.cta.tensorCores;
    t.takeTransposed(a2, a3, b1, HALF, bf16 != 0);
    t.takeTransposed(a0, a1, b0, 0, bf16 != 0);
    t.accumulate(16, bf16 != 0, c0, c1, c2, c3, d0, d1, d2, d3);
  }

  public static void m16n8k8(Warp w, int mask, int[] a0, int[] a1, int[] b0, float[] c0, float[] c1, float[] c2,
      float[] c3, float[] d0, float[] d1, float[] d2, float[] d3, int bf16) {
    var t = w.cta.tensorCores;
    t.takeTransposed(a0, a1, b0, 0, bf16 != 0);
    t.accumulate(8, bf16 != 0, c0, c1, c2, c3, d0, d1, d2, d3);
  }

  private void takeTransposed(int[] upper, int[] lower, int[] columns, int k, boolean bf16) {
    takeA(tile.right.words, upper, lower, k, bf16);
    takeB(tile.left.words, columns, k, 0, bf16);
  }

  private void accumulate(int depth, boolean bf16, float[] c0, float[] c1, float[] c2, float[] c3, float[] d0,
      float[] d1, float[] d2, float[] d3) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      float[] even = tile.sums[2 * (lane & 3)];
      float[] odd = tile.sums[2 * (lane & 3) + 1];
      int row = lane >> 2;
      even[row] = c0[lane];
      odd[row] = c1[lane];
      even[row + HALF] = c2[lane];
      odd[row + HALF] = c3[lane];
    }
    tile.multiply(COLUMNS, ROWS, depth, type(bf16), type(bf16), single);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      float[] even = tile.sums[2 * (lane & 3)];
      float[] odd = tile.sums[2 * (lane & 3) + 1];
      int row = lane >> 2;
      d0[lane] = even[row];
      d1[lane] = odd[row];
      d2[lane] = even[row + HALF];
      d3[lane] = odd[row + HALF];
    }
  }

  /** One multiplication with f16 accumulators, two to a register. */
  public static void m16n8k16(Warp w, int mask, int[] a0, int[] a1, int[] a2, int[] a3, int[] b0, int[] b1, int[] c0,
      int[] c1, int[] d0, int[] d1, int bf16) {
    var t = w.cta.tensorCores;
    t.takeTransposed(a0, a1, b0, 0, false);
    t.takeTransposed(a2, a3, b1, HALF, false);
    t.accumulate(16, c0, c1, d0, d1);
  }

  public static void m16n8k8(Warp w, int mask, int[] a0, int[] a1, int[] b0, int[] c0, int[] c1, int[] d0, int[] d1,
      int bf16) {
    var t = w.cta.tensorCores;
    t.takeTransposed(a0, a1, b0, 0, false);
    t.accumulate(8, c0, c1, d0, d1);
  }

  private void accumulate(int depth, int[] c0, int[] c1, int[] d0, int[] d1) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      float[] even = tile.sums[2 * (lane & 3)];
      float[] odd = tile.sums[2 * (lane & 3) + 1];
      int row = lane >> 2;
      even[row] = Conversions.fromF16(c0[lane] & 0xFFFF);
      odd[row] = Conversions.fromF16(c0[lane] >>> 16);
      even[row + HALF] = Conversions.fromF16(c1[lane] & 0xFFFF);
      odd[row + HALF] = Conversions.fromF16(c1[lane] >>> 16);
    }
    tile.multiply(COLUMNS, ROWS, depth, MmaType.F16, MmaType.F16, half);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      float[] even = tile.sums[2 * (lane & 3)];
      float[] odd = tile.sums[2 * (lane & 3) + 1];
      int row = lane >> 2;
      d0[lane] = HalfMath.packF16(odd[row], even[row]);
      d1[lane] = HalfMath.packF16(odd[row + HALF], even[row + HALF]);
    }
  }
}
