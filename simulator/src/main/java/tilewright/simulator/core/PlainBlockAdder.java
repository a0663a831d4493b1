package tilewright.simulator.core;

import static tilewright.simulator.core.TensorTile.COLUMNS;
import static tilewright.simulator.core.TensorTile.OUTPUTS;
import static tilewright.simulator.core.TensorTile.ROWS;

/**
 * Block addition in plain loops. Four steps of depth at a time, whose factors from B stay in registers while a loop
 * runs over the rows; a cast from float to int cuts off exactly what the tensor core cuts off.
 */
final class PlainBlockAdder implements BlockAdder {
  private static final int STEPS = 4;
  /** An int holds the sum of eight products, not that of sixteen. */
  private static final int SAFE = 8;

  @Override
  public boolean add(TensorTile tile, int first, int count, int least, int floor) {
    accumulators(tile, least);
    for (int k = first; k < first + count; k += STEPS) largest(tile, k);
    if (!scale(tile, floor)) return false;
    for (int k = first; k < first + count; k += STEPS) products(tile, k, k < first + SAFE ? tile.low : tile.high);
    return true;
  }

  private static void accumulators(TensorTile tile, int least) {
    int[] largest = tile.largest;
    float[] sums = tile.sums;
    for (int i = 0; i < OUTPUTS; i++) {
      int bits = Float.floatToRawIntBits(sums[i]);
      int exponent = Math.max((bits >>> 23 & 0xFF) - Float.MAX_EXPONENT, least);
      largest[i] = bits << 1 == 0 ? Factors.ZERO : exponent;
    }
  }

  private static void largest(TensorTile tile, int k) {
    int[] a = tile.a.exponents;
    int[] b = tile.b.exponents;
    int[] largest = tile.largest;
    for (int n = 0; n < COLUMNS; n++) {
      int right = k * COLUMNS + n;
      int b0 = b[right];
      int b1 = b[right + COLUMNS];
      int b2 = b[right + 2 * COLUMNS];
      int b3 = b[right + 3 * COLUMNS];
      for (int m = 0; m < ROWS; m++) {
        int left = k * ROWS + m;
        int early = Math.max(a[left] + b0, a[left + ROWS] + b1);
        int late = Math.max(a[left + 2 * ROWS] + b2, a[left + 3 * ROWS] + b3);
        int at = n * ROWS + m;
        largest[at] = Math.max(largest[at], Math.max(early, late));
      }
    }
  }

  /** Finds the scales and begins the totals with the old sums. */
  private static boolean scale(TensorTile tile, int floor) {
    int[] largest = tile.largest;
    int fraction = tile.model.fraction();
    boolean inRange = true;
    for (int i = 0; i < OUTPUTS; i++) {
      int exponent = largest[i];
      inRange &= exponent <= MOST & (exponent >= floor | exponent < ALL_ZERO);
      tile.scale[i] = Float.intBitsToFloat(fraction + Float.MAX_EXPONENT - Math.max(exponent, floor) << 23);
    }
    for (int i = 0; i < OUTPUTS; i++) {
      tile.low[i] = (int) (tile.sums[i] * tile.scale[i]);
      tile.high[i] = 0;
    }
    return inRange;
  }

  private static void products(TensorTile tile, int k, int[] totals) {
    float[] a = tile.a.values;
    float[] b = tile.b.values;
    float[] scale = tile.scale;
    for (int n = 0; n < COLUMNS; n++) {
      int right = k * COLUMNS + n;
      float b0 = b[right];
      float b1 = b[right + COLUMNS];
      float b2 = b[right + 2 * COLUMNS];
      float b3 = b[right + 3 * COLUMNS];
      for (int m = 0; m < ROWS; m++) {
        int left = k * ROWS + m;
        int at = n * ROWS + m;
        float s = scale[at];
        totals[at] += (int) (a[left] * b0 * s) + (int) (a[left + ROWS] * b1 * s)
            + (int) (a[left + 2 * ROWS] * b2 * s) + (int) (a[left + 3 * ROWS] * b3 * s);
      }
    }
  }
}
