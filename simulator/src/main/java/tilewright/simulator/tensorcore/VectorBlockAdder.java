package tilewright.simulator.tensorcore;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Block addition with the Vector API: the same operations as {@link PlainBlockAdder}, four steps of depth at a time, so
 * that what they have in common stays in vector registers. C2 does not inline eight steps.
 */
final class VectorBlockAdder implements BlockAdder {
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED.length() > TensorTile.LEAST_WIDTH
      ? IntVector.SPECIES_512 : IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() > TensorTile.LEAST_WIDTH
      ? FloatVector.SPECIES_512 : FloatVector.SPECIES_PREFERRED;
  private static final int STEPS = 4;

  @Override
  public boolean add(TensorTile tile, int row, int width, int first, int count, int together, int offset, int least,
      int floor) {
    float[] sums = tile.sums[row];
    int end = first + count;
    int k = first;
    accumulators(sums, tile.largest, width, least);
    for (; k + STEPS <= end; k += STEPS) raiseBySteps(tile, row, width, k);
    for (; k < end; k++) raise(tile, row, width, k);
    if (!scale(tile, width, offset, floor)) return false;
    start(tile, sums, width);
    for (int part = 0; part * together < count; part++) {
      int[] totals = tile.totals[part];
      if (part > 0) Arrays.fill(totals, 0, width, 0);
      k = first + part * together;
      int stop = Math.min(k + together, end);
      for (; k + STEPS <= stop; k += STEPS) addSteps(tile, totals, row, width, k);
      for (; k < stop; k++) addStep(tile, totals, row, width, k);
    }
    return true;
  }

  private static void accumulators(float[] sums, int[] largest, int width, int least) {
    for (int at = 0; at < width; at += INTS.length()) {
      var bits = FloatVector.fromArray(FLOATS, sums, at).reinterpretAsInts();
      bits.lanewise(VectorOperators.LSHR, 23).and(0xFF).sub(Float.MAX_EXPONENT).max(least)
          .blend(Factors.ZERO, bits.lanewise(VectorOperators.LSHL, 1).eq(0)).intoArray(largest, at);
    }
  }

  private static void raiseBySteps(TensorTile tile, int row, int width, int k) {
    int[] largest = tile.largest;
    int[] right0 = tile.right.exponents[k];
    int[] right1 = tile.right.exponents[k + 1];
    int[] right2 = tile.right.exponents[k + 2];
    int[] right3 = tile.right.exponents[k + 3];
    int left0 = tile.left.exponents[k][row];
    int left1 = tile.left.exponents[k + 1][row];
    int left2 = tile.left.exponents[k + 2][row];
    int left3 = tile.left.exponents[k + 3][row];
    for (int at = 0; at < width; at += INTS.length()) {
      IntVector.fromArray(INTS, largest, at).max(exponents(right0, at, left0)).max(exponents(right1, at, left1))
          .max(exponents(right2, at, left2)).max(exponents(right3, at, left3)).intoArray(largest, at);
    }
  }

  private static void raise(TensorTile tile, int row, int width, int k) {
    int[] largest = tile.largest;
    for (int at = 0; at < width; at += INTS.length()) {
      IntVector.fromArray(INTS, largest, at).max(exponents(tile.right.exponents[k], at, tile.left.exponents[k][row]))
          .intoArray(largest, at);
    }
  }

  private static IntVector exponents(int[] right, int at, int left) {
    return IntVector.fromArray(INTS, right, at).add(left);
  }

  /** Leaves the scales, and says whether all largest exponents are in range. */
  private static boolean scale(TensorTile tile, int width, int offset, int floor) {
    var outside = IntVector.zero(INTS);
    for (int at = 0; at < width; at += INTS.length()) {
      var largest = IntVector.fromArray(INTS, tile.largest, at);
      outside = outside.or(largest.neg().add(MOST))
          .or(largest.sub(floor).and(largest.neg().add(ALL_ZERO - 1)));
      largest.max(floor).neg().add(offset).lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats()
          .intoArray(tile.scale, at);
    }
    return outside.compare(VectorOperators.GE, 0).allTrue();
  }

  /**
   * Starts the first part's totals with the old sums. A loop of its own: in {@link #scale}, C2 had no budget left to
   * inline the conversion, and its argument and its result became objects on the heap.
   */
  private static void start(TensorTile tile, float[] sums, int width) {
    int[] totals = tile.totals[0];
    for (int at = 0; at < width; at += INTS.length()) {
      cut(FloatVector.fromArray(FLOATS, sums, at).mul(FloatVector.fromArray(FLOATS, tile.scale, at)))
          .intoArray(totals, at);
    }
  }

  private static void addSteps(TensorTile tile, int[] totals, int row, int width, int k) {
    float[] right0 = tile.right.values[k];
    float[] right1 = tile.right.values[k + 1];
    float[] right2 = tile.right.values[k + 2];
    float[] right3 = tile.right.values[k + 3];
    float left0 = tile.left.values[k][row];
    float left1 = tile.left.values[k + 1][row];
    float left2 = tile.left.values[k + 2][row];
    float left3 = tile.left.values[k + 3][row];
    for (int at = 0; at < width; at += INTS.length()) {
      var scale = FloatVector.fromArray(FLOATS, tile.scale, at);
      IntVector.fromArray(INTS, totals, at).add(products(right0, at, left0, scale))
          .add(products(right1, at, left1, scale)).add(products(right2, at, left2, scale))
          .add(products(right3, at, left3, scale)).intoArray(totals, at);
    }
  }

  private static void addStep(TensorTile tile, int[] totals, int row, int width, int k) {
    for (int at = 0; at < width; at += INTS.length()) {
      IntVector.fromArray(INTS, totals, at).add(products(tile.right.values[k], at, tile.left.values[k][row],
          FloatVector.fromArray(FLOATS, tile.scale, at))).intoArray(totals, at);
    }
  }

  private static IntVector products(float[] right, int at, float left, FloatVector scale) {
    return cut(FloatVector.fromArray(FLOATS, right, at).mul(left).mul(scale));
  }

  private static IntVector cut(FloatVector values) {
    return (IntVector) values.convert(VectorOperators.F2I, 0);
  }
}
