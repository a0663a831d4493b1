package tilewright.reference;

import tilewright.layout.Layout;

/**
 * The Hadamard transform of a head of {@code columns} = 2·m·w elements, m odd and w a power of two. Each of m blocks of
 * 2w columns is multiplied by Sylvester's matrix H(i,j) = (−1)^popcount(i∧j), which divided by √(2w) is orthogonal. A
 * block has w neighbours of each half of the head, so that it holds both elements of every pair (i, i + columns/2) that
 * a rotary embedding turns. Where the head is a power of two, there is one block, in the order of the columns.
 *
 * <p>FlashAttention-3 (section 3.3) multiplies Q and K by a random sign of each column and this transform: Q·Kᵀ stays
 * as it is, and an outlier is spread over its block before it is rounded.
 *
 * @param columns a multiple of 16
 */
public record Hadamard(int columns) {
  /** Columns that a thread of a kernel has side by side, in each half. */
  private static final int LEAST_HALF = 8;
  /** Increment and multipliers of SplitMix64 (Steele, Lea and Flood, 2014). */
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
  private static final long MIX_1 = 0xBF58476D1CE4E5B9L;
  private static final long MIX_2 = 0x94D049BB133111EBL;

  public Hadamard {
    if (columns < 2 * LEAST_HALF || columns % (2 * LEAST_HALF) != 0) {
      throw new IllegalArgumentException("no Hadamard transform of " + columns + " columns: a multiple of "
          + 2 * LEAST_HALF);
    }
  }

  /** Columns of a block. */
  public int order() {
    return Integer.lowestOneBit(columns);
  }

  public int blocks() {
    return columns / order();
  }

  /** (place in the block, block) → column. */
  public Layout layout() {
    int half = order() / 2;
    return Layout.of(Layout.of(Layout.of(half, 1), Layout.of(2, columns / 2)), Layout.of(blocks(), half));
  }

  /** The factor that makes the transform orthogonal: 1/√order. */
  public double normalisation() {
    return 1 / Math.sqrt(order());
  }

  /** Transforms a row in FP64, without normalisation. */
  public double[] exact(double[] row) {
    var result = row.clone();
    butterflies((a, b) -> {
      double sum = result[a] + result[b];
      result[b] = result[a] - result[b];
      result[a] = sum;
    });
    return result;
  }

  /** Transforms a row in FP32 in the order of a kernel: butterflies of neighbours first, the widest last. */
  public float[] stepwise(float[] row) {
    var result = row.clone();
    butterflies((a, b) -> {
      float sum = result[a] + result[b];
      result[b] = result[a] - result[b];
      result[a] = sum;
    });
    return result;
  }

  private interface Butterfly {
    void apply(int a, int b);
  }

  private void butterflies(Butterfly each) {
    var columnOf = layout().offsets();
    for (int step = 1; step < order(); step *= 2) {
      for (int i = 0; i < columns; i++) {
        if ((i & step) == 0) each.apply(Math.toIntExact(columnOf[i]), Math.toIntExact(columnOf[i + step]));
      }
    }
  }

  /**
   * Random signs, one per column, each +1 or −1: a bit of SplitMix64's output number {@code column} for this seed. Q
   * and K need the same signs.
   */
  public static float[] signs(long seed, int columns) {
    var signs = new float[columns];
    for (int column = 0; column < columns; column++) {
      long mixed = seed + (column + 1) * GOLDEN_GAMMA;
      mixed = (mixed ^ mixed >>> 30) * MIX_1;
      mixed = (mixed ^ mixed >>> 27) * MIX_2;
      signs[column] = (mixed ^ mixed >>> 31) < 0 ? -1 : 1;
    }
    return signs;
  }
}
