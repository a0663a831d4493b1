package tilewright.simulator.mma;

import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tensorcore.DotModel;
import tilewright.simulator.tensorcore.Factors;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.TensorTile;

/**
 * {@code mma.sync} m16n8k16 and m16n8k8 on 16-bit inputs (PTX ISA, mma: fragments), bit for bit. A lone multiplication
 * runs as that of the transposes, because loops over its 16 rows are better than over its 8 columns. Several that
 * multiply each of some fragments of A by each of some fragments of B run as one, in the orientation that is wider.
 */
public final class TensorCores {
  /** Fragments of A, and of B, in multiplications that run as one. */
  public static final int MOST_LEFT = TensorTile.HEIGHT / 16;
  public static final int MOST_RIGHT = TensorTile.WIDTH / 8;
  private static final int ROWS = 16;
  private static final int COLUMNS = 8;
  private static final int HALF = 8;
  private static final int QUAD = 4;

  private final TensorTile tile;
  /** The models of accumulators in f32 and in f16. */
  private final DotModel single;
  private final DotModel half;
  private int lefts;
  private int rights;
  private final int[][][] left = new int[MOST_LEFT][4][];
  private final int[][][] right = new int[MOST_RIGHT][2][];
  private final float[][][][] c = new float[MOST_LEFT][MOST_RIGHT][4][];
  private final float[][][][] d = new float[MOST_LEFT][MOST_RIGHT][4][];

  public TensorCores(TensorTile tile, int architecture) {
    this.tile = tile;
    single = DotModel.warp(architecture, MmaType.F16, false);
    half = DotModel.warp(architecture, MmaType.F16, true);
  }

  /** Names a fragment of A of a joint multiplication, sixteen deep; the first begins it. */
  public static void left(Warp w, int mask, int index, int[] a0, int[] a1, int[] a2, int[] a3) {
    left(w, mask, index, a0, a1);
    MmaUnits.of(w.cta).tensorCores().left[index][2] = a2;
    MmaUnits.of(w.cta).tensorCores().left[index][3] = a3;
  }

  /** Names a fragment of A of a joint multiplication, eight deep. */
  public static void left(Warp w, int mask, int index, int[] a0, int[] a1) {
    var t = MmaUnits.of(w.cta).tensorCores();
    t.left[index][0] = a0;
    t.left[index][1] = a1;
    t.lefts = index + 1;
    t.rights = 0;
  }

  /** Names a fragment of B, sixteen deep. */
  public static void right(Warp w, int mask, int index, int[] b0, int[] b1) {
    right(w, mask, index, b0);
    MmaUnits.of(w.cta).tensorCores().right[index][1] = b1;
  }

  /** Names a fragment of B, eight deep. */
  public static void right(Warp w, int mask, int index, int[] b0) {
    var t = MmaUnits.of(w.cta).tensorCores();
    t.right[index][0] = b0;
    t.rights = index + 1;
  }

  /** Names the accumulators of one fragment of A and one of B. */
  public static void sums(Warp w, int mask, int left, int right, float[] c0, float[] c1, float[] c2, float[] c3,
      float[] d0, float[] d1, float[] d2, float[] d3) {
    var t = MmaUnits.of(w.cta).tensorCores();
    set(t.c[left][right], c0, c1, c2, c3);
    set(t.d[left][right], d0, d1, d2, d3);
  }

  private static void set(float[][] registers, float[] r0, float[] r1, float[] r2, float[] r3) {
    registers[0] = r0;
    registers[1] = r1;
    registers[2] = r2;
    registers[3] = r3;
  }

  /** Runs the joint multiplication. */
  public static void multiply(Warp w, int mask, int depth, int bf16) {
    var t = MmaUnits.of(w.cta).tensorCores();
    boolean transposed = ROWS * t.lefts >= COLUMNS * t.rights;
    t.take(transposed ? t.tile.right.words : t.tile.left.words, transposed ? t.tile.left.words : t.tile.right.words,
        depth, bf16 != 0);
    int rows = ROWS * t.lefts;
    int columns = COLUMNS * t.rights;
    var type = type(bf16 != 0);
    if (transposed) {
      t.takeTransposedSums();
      t.tile.multiply(columns, rows, depth, type, type, t.single);
      t.giveTransposedSums();
    } else {
      t.takeSums();
      t.tile.multiply(rows, columns, depth, type, type, t.single);
      t.giveSums();
    }
  }

  private void take(int[][] ofA, int[][] ofB, int depth, boolean bf16) {
    for (int k = 0; k < depth; k += HALF) {
      for (int i = 0; i < lefts; i++) takeA(ofA, left[i][k / 4], left[i][k / 4 + 1], k, ROWS * i, bf16);
      for (int j = 0; j < rights; j++) takeB(ofB, right[j][k / HALF], k, COLUMNS * j, bf16);
    }
  }

  private void takeSums() {
    for (int i = 0; i < lefts; i++) {
      for (int j = 0; j < rights; j++) take(c[i][j], ROWS * i, COLUMNS * j);
    }
  }

  /** Lanes 4g to 4g+3 have rows g and g+8, two columns each. */
  private void take(float[][] from, int row, int column) {
    float[] c0 = from[0];
    float[] c1 = from[1];
    float[] c2 = from[2];
    float[] c3 = from[3];
    for (int g = 0; g < HALF; g++) {
      float[] upper = tile.sums[row + g];
      float[] lower = tile.sums[row + g + HALF];
      for (int t = 0; t < QUAD; t++) {
        upper[column + 2 * t] = c0[QUAD * g + t];
        upper[column + 2 * t + 1] = c1[QUAD * g + t];
        lower[column + 2 * t] = c2[QUAD * g + t];
        lower[column + 2 * t + 1] = c3[QUAD * g + t];
      }
    }
  }

  private void giveSums() {
    for (int i = 0; i < lefts; i++) {
      for (int j = 0; j < rights; j++) give(d[i][j], ROWS * i, COLUMNS * j);
    }
  }

  private void give(float[][] to, int row, int column) {
    float[] d0 = to[0];
    float[] d1 = to[1];
    float[] d2 = to[2];
    float[] d3 = to[3];
    for (int g = 0; g < HALF; g++) {
      float[] upper = tile.sums[row + g];
      float[] lower = tile.sums[row + g + HALF];
      for (int t = 0; t < QUAD; t++) {
        d0[QUAD * g + t] = upper[column + 2 * t];
        d1[QUAD * g + t] = upper[column + 2 * t + 1];
        d2[QUAD * g + t] = lower[column + 2 * t];
        d3[QUAD * g + t] = lower[column + 2 * t + 1];
      }
    }
  }

  private void takeTransposedSums() {
    for (int i = 0; i < lefts; i++) {
      for (int j = 0; j < rights; j++) takeTransposed(c[i][j], ROWS * i, COLUMNS * j);
    }
  }

  private void takeTransposed(float[][] from, int row, int column) {
    for (int t = 0; t < QUAD; t++) {
      float[] even = tile.sums[column + 2 * t];
      float[] odd = tile.sums[column + 2 * t + 1];
      for (int g = 0; g < HALF; g++) {
        even[row + g] = from[0][QUAD * g + t];
        odd[row + g] = from[1][QUAD * g + t];
        even[row + g + HALF] = from[2][QUAD * g + t];
        odd[row + g + HALF] = from[3][QUAD * g + t];
      }
    }
  }

  private void giveTransposedSums() {
    for (int i = 0; i < lefts; i++) {
      for (int j = 0; j < rights; j++) giveTransposed(d[i][j], ROWS * i, COLUMNS * j);
    }
  }

  private void giveTransposed(float[][] to, int row, int column) {
    for (int t = 0; t < QUAD; t++) {
      float[] even = tile.sums[column + 2 * t];
      float[] odd = tile.sums[column + 2 * t + 1];
      for (int g = 0; g < HALF; g++) {
        to[0][QUAD * g + t] = even[row + g];
        to[1][QUAD * g + t] = odd[row + g];
        to[2][QUAD * g + t] = even[row + g + HALF];
        to[3][QUAD * g + t] = odd[row + g + HALF];
      }
    }
  }

  private static MmaType type(boolean bf16) {
    return bf16 ? MmaType.BF16 : MmaType.F16;
  }

  /** Eight steps of A, whose lanes hold pairs of steps of rows g and g+8, g = lane/4. */
  private static void takeA(int[][] words, int[] upper, int[] lower, int k, int row, boolean bf16) {
    takeB(words, upper, k, row, bf16);
    takeB(words, lower, k, row + HALF, bf16);
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
    left(w, mask, 0, a0, a1, a2, a3);
    right(w, mask, 0, b0, b1);
    sums(w, mask, 0, 0, c0, c1, c2, c3, d0, d1, d2, d3);
    multiply(w, mask, 16, bf16);
  }

  public static void m16n8k8(Warp w, int mask, int[] a0, int[] a1, int[] b0, float[] c0, float[] c1, float[] c2,
      float[] c3, float[] d0, float[] d1, float[] d2, float[] d3, int bf16) {
    left(w, mask, 0, a0, a1);
    right(w, mask, 0, b0);
    sums(w, mask, 0, 0, c0, c1, c2, c3, d0, d1, d2, d3);
    multiply(w, mask, 8, bf16);
  }

  private void takeTransposed(int[] upper, int[] lower, int[] columns, int k) {
    takeA(tile.right.words, upper, lower, k, 0, false);
    takeB(tile.left.words, columns, k, 0, false);
  }

  /** One multiplication with f16 accumulators, two to a register. */
  public static void m16n8k16(Warp w, int mask, int[] a0, int[] a1, int[] a2, int[] a3, int[] b0, int[] b1, int[] c0,
      int[] c1, int[] d0, int[] d1, int bf16) {
    var t = MmaUnits.of(w.cta).tensorCores();
    t.takeTransposed(a0, a1, b0, 0);
    t.takeTransposed(a2, a3, b1, HALF);
    t.accumulate(16, c0, c1, d0, d1);
  }

  public static void m16n8k8(Warp w, int mask, int[] a0, int[] a1, int[] b0, int[] c0, int[] c1, int[] d0, int[] d1,
      int bf16) {
    var t = MmaUnits.of(w.cta).tensorCores();
    t.takeTransposed(a0, a1, b0, 0);
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
