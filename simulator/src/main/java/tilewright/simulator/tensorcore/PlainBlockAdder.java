package tilewright.simulator.tensorcore;

import java.util.Arrays;

/**
 * Block addition in plain loops, each so simple that C2 makes vector instructions of it: one index for all arrays, an
 * array for each row so that none is read and written at different places, no branches, no shifts by what varies, and
 * bits cast to floats in loops of their own. A cast from float to int cuts off exactly what the tensor core cuts off.
 */
final class PlainBlockAdder implements BlockAdder {
  @Override
  public boolean add(TensorTile tile, int row, int width, int first, int count, int together, int offset, int least,
      int floor) {
    float[] sums = tile.sums[row];
    int[] largest = tile.largest;
    int[][] totals = tile.totals;
    float[] scale = tile.scale;
    accumulators(sums, totals[0], largest, width, least);
    for (int k = first; k < first + count; k++) {
      raise(largest, tile.right.exponents[k], tile.left.exponents[k][row], width);
    }
    if (outOfRange(largest, width, floor)) return false;
    scale(largest, totals[0], scale, width, offset, floor);
    start(sums, scale, totals[0], width);
    for (int part = 0; part * together < count; part++) {
      if (part > 0) Arrays.fill(totals[part], 0, width, 0);
      int begin = first + part * together;
      for (int k = begin; k < Math.min(begin + together, first + count); k++) {
        products(totals[part], tile.right.values[k], tile.left.values[k][row], scale, width);
      }
    }
    return true;
  }

  private static void accumulators(float[] sums, int[] bits, int[] largest, int width, int least) {
    for (int i = 0; i < width; i++) bits[i] = Float.floatToRawIntBits(sums[i]);
    for (int i = 0; i < width; i++) {
      int nonzero = -(bits[i] & Integer.MAX_VALUE) >> 31;
      int exponent = Math.max((bits[i] >>> 23 & 0xFF) - Float.MAX_EXPONENT, least);
      largest[i] = exponent & nonzero | Factors.ZERO & ~nonzero;
    }
  }

  private static void raise(int[] largest, int[] exponents, int exponent, int width) {
    for (int i = 0; i < width; i++) largest[i] = Math.max(largest[i], exponents[i] + exponent);
  }

  /** Tests are signs. */
  private static boolean outOfRange(int[] largest, int width, int floor) {
    int outside = 0;
    for (int i = 0; i < width; i++) outside |= MOST - largest[i] | largest[i] - floor & ALL_ZERO - 1 - largest[i];
    return outside < 0;
  }

  private static void scale(int[] largest, int[] bits, float[] scale, int width, int offset, int floor) {
    for (int i = 0; i < width; i++) bits[i] = offset - Math.max(largest[i], floor) << 23;
    for (int i = 0; i < width; i++) scale[i] = Float.intBitsToFloat(bits[i]);
  }

  private static void start(float[] sums, float[] scale, int[] totals, int width) {
    for (int i = 0; i < width; i++) totals[i] = (int) (sums[i] * scale[i]);
  }

  private static void products(int[] totals, float[] right, float left, float[] scale, int width) {
    for (int i = 0; i < width; i++) totals[i] += (int) (right[i] * left * scale[i]);
  }
}
