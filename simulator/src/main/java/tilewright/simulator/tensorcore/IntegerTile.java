package tilewright.simulator.tensorcore;

/**
 * A product of two matrices of integers or bits, up to 64×64 and 32 words deep. Columns are innermost, so that loops
 * over them become vector instructions.
 */
public final class IntegerTile {
  private static final int SIDE = TensorTile.WIDTH;

  /** Accumulators by row and column. */
  public final int[][] sums = new int[SIDE][SIDE];
  /** Factors by depth and row or column: integers, or 32 bits each. */
  public final int[][] left = new int[TensorTile.DEPTH][SIDE];
  public final int[][] right = new int[TensorTile.DEPTH][SIDE];
  private final int[] products = new int[SIDE];

  /** Adds exact products of integers to the sums, which wrap or, once for all of them, are clamped. */
  public void multiply(int height, int columns, int depth, boolean saturate) {
    for (int m = 0; m < height; m++) {
      java.util.Arrays.fill(products, 0, columns, 0);
      for (int k = 0; k < depth; k++) addProducts(products, right[k], left[k][m], columns);
      addTo(sums[m], columns, saturate);
    }
  }

  /** Adds how many bits both factors have. */
  public void countBits(int height, int columns, int depth) {
    for (int m = 0; m < height; m++) {
      for (int k = 0; k < depth; k++) addCounts(sums[m], right[k], left[k][m], columns);
    }
  }

  private static void addProducts(int[] sums, int[] right, int left, int columns) {
    for (int i = 0; i < columns; i++) sums[i] += right[i] * left;
  }

  private static void addCounts(int[] sums, int[] right, int left, int columns) {
    for (int i = 0; i < columns; i++) sums[i] += Integer.bitCount(right[i] & left);
  }

  private void addTo(int[] row, int columns, boolean saturate) {
    for (int i = 0; i < columns; i++) {
      row[i] = saturate ? Math.clamp((long) row[i] + products[i], Integer.MIN_VALUE, Integer.MAX_VALUE)
          : row[i] + products[i];
    }
  }
}
