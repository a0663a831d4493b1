package tilewright.simulator.mma;

import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.core.Warp;

/**
 * {@code mma.m8n8k4} of f16 (PTX ISA, Matrix Fragments for mma.m8n8k4): four products of 8 by 8 by 4, each of two quads
 * of lanes, the quads 16 lanes apart. Only sm_70 has an instruction for it. On later targets ptxas shuffles B and
 * multiplies with ordinary f32 arithmetic; this is its order, recorded on an H200.
 */
public final class QuadPairMma {
  private static final int SIDE = 8;
  private static final int DEPTH = 4;
  private static final int QUADS = 4;
  private static final int UPPER = 16;
  /** Bits of {@code layouts}: the operands whose lanes hold columns of A, or rows of B. */
  public static final int A_COLUMNS = 1;
  public static final int B_ROWS = 2;

  /** One of the four products: its matrices by row, B by column. */
  private static final class Product {
    final float[][] a = new float[SIDE][DEPTH];
    final float[][] b = new float[SIDE][DEPTH];
    final float[][] sums = new float[SIDE][SIDE];

    /** D is f32: a chain of four from zero, then C. */
    void add() {
      for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
          float sum = 0;
          for (int k = 0; k < DEPTH; k++) sum = Math.fma(a[row][k], b[column][k], sum);
          sums[row][column] = FloatMath.canonical(sums[row][column] + sum);
        }
      }
    }

    /** C and D are f16: two chains of two, added to C one after the other. */
    void addPairs() {
      for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
          sums[row][column] = FloatMath.canonical(sums[row][column] + pair(row, column, 0) + pair(row, column, 2));
        }
      }
    }

    private float pair(int row, int column, int k) {
      return Math.fma(a[row][k + 1], b[column][k + 1], a[row][k] * b[column][k]);
    }
  }

  private QuadPairMma() {}

  public static void multiply(Warp w, int mask, int[] a0, int[] a1, int[] b0, int[] b1, float[] c0, float[] c1,
      float[] c2, float[] c3, float[] c4, float[] c5, float[] c6, float[] c7, float[] d0, float[] d1, float[] d2,
      float[] d3, float[] d4, float[] d5, float[] d6, float[] d7, int layouts) {
    var products = products(a0, a1, b0, b1, layouts);
    float[][] c = {c0, c1, c2, c3, c4, c5, c6, c7};
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int i = 0; i < SIDE; i++) products[quad(lane)].sums[rowF32(lane, i)][columnF32(lane, i)] = c[i][lane];
    }
    for (var product : products) product.add();
    give(products, d0, d1, d2, d3, d4, d5, d6, d7);
  }

  public static void multiply(Warp w, int mask, int[] a0, int[] a1, int[] b0, int[] b1, int[] c0, int[] c1, int[] c2,
      int[] c3, float[] d0, float[] d1, float[] d2, float[] d3, float[] d4, float[] d5, float[] d6, float[] d7,
      int layouts) {
    var products = withHalves(a0, a1, b0, b1, layouts, c0, c1, c2, c3);
    for (var product : products) product.add();
    give(products, d0, d1, d2, d3, d4, d5, d6, d7);
  }

  public static void multiply(Warp w, int mask, int[] a0, int[] a1, int[] b0, int[] b1, int[] c0, int[] c1, int[] c2,
      int[] c3, int[] d0, int[] d1, int[] d2, int[] d3, int layouts) {
    var products = withHalves(a0, a1, b0, b1, layouts, c0, c1, c2, c3);
    for (var product : products) product.addPairs();
    int[][] d = {d0, d1, d2, d3};
    for (int lane = 0; lane < Warp.LANES; lane++) {
      float[] row = products[quad(lane)].sums[line(lane)];
      for (int i = 0; i < d.length; i++) d[i][lane] = HalfMath.packF16(row[2 * i + 1], row[2 * i]);
    }
  }

  private static Product[] withHalves(int[] a0, int[] a1, int[] b0, int[] b1, int layouts, int[]... c) {
    var products = products(a0, a1, b0, b1, layouts);
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int i = 0; i < SIDE; i++) products[quad(lane)].sums[line(lane)][i] = half(c[i >> 1][lane], i & 1);
    }
    return products;
  }

  private static Product[] products(int[] a0, int[] a1, int[] b0, int[] b1, int layouts) {
    var products = new Product[QUADS];
    for (int quad = 0; quad < QUADS; quad++) products[quad] = new Product();
    for (int lane = 0; lane < Warp.LANES; lane++) {
      fill(products[quad(lane)].a, lane, a0[lane], a1[lane], (layouts & A_COLUMNS) == 0);
      fill(products[quad(lane)].b, lane, b0[lane], b1[lane], (layouts & B_ROWS) == 0);
    }
    return products;
  }

  /** A lane's four elements: of a line of A or B, or of half the lines at one depth. */
  private static void fill(float[][] lines, int lane, int low, int high, boolean alongDepth) {
    for (int i = 0; i < DEPTH; i++) {
      float element = half(i < 2 ? low : high, i & 1);
      if (alongDepth) {
        lines[line(lane)][i] = element;
      } else {
        lines[i + (lane < UPPER ? 0 : DEPTH)][lane & 3] = element;
      }
    }
  }

  private static void give(Product[] products, float[]... d) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int i = 0; i < SIDE; i++) d[i][lane] = products[quad(lane)].sums[rowF32(lane, i)][columnF32(lane, i)];
    }
  }

  private static float half(int pair, int index) {
    return Conversions.fromF16(pair >>> 16 * index & 0xFFFF);
  }

  private static int quad(int lane) {
    return lane >> 2 & 3;
  }

  private static int line(int lane) {
    return (lane & 3) + (lane < UPPER ? 0 : DEPTH);
  }

  private static int rowF32(int lane, int i) {
    return (lane & 1) + (i & 2) + (lane < UPPER ? 0 : DEPTH);
  }

  private static int columnF32(int lane, int i) {
    return (i & 4) + (lane & 2) + (i & 1);
  }
}
