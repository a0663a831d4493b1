package tilewright.simulator.core;

import static tilewright.simulator.core.TensorTile.COLUMNS;
import static tilewright.simulator.core.TensorTile.OUTPUTS;
import static tilewright.simulator.core.TensorTile.ROWS;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Block addition with the Vector API, a vector of rows at a time: the same operations as {@link PlainBlockAdder}. */
final class VectorBlockAdder implements BlockAdder {
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED.length() > ROWS
      ? IntVector.SPECIES_512 : IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() > ROWS
      ? FloatVector.SPECIES_512 : FloatVector.SPECIES_PREFERRED;
  private static final int SAFE = 8;

  @Override
  public boolean add(TensorTile tile, int first, int count, int least, int floor) {
    return scale(tile, first, count, least, floor) && products(tile, first, count);
  }

  private static boolean scale(TensorTile tile, int first, int count, int least, int floor) {
    int[] a = tile.a.exponents;
    int[] b = tile.b.exponents;
    int offset = tile.model.fraction() + Float.MAX_EXPONENT;
    VectorMask<Integer> bad = INTS.maskAll(false);
    for (int at = 0; at < OUTPUTS; at += INTS.length()) {
      int n = at / ROWS;
      int m = at % ROWS;
      var bits = FloatVector.fromArray(FLOATS, tile.sums, at).reinterpretAsInts();
      var largest = bits.lanewise(VectorOperators.LSHR, 23).and(0xFF).sub(Float.MAX_EXPONENT).max(least)
          .blend(Factors.ZERO, bits.lanewise(VectorOperators.LSHL, 1).eq(0));
      for (int k = first; k < first + count; k++) {
        largest = largest.max(IntVector.fromArray(INTS, a, k * ROWS + m).add(b[k * COLUMNS + n]));
      }
      bad = bad.or(largest.compare(VectorOperators.GT, MOST))
          .or(largest.lt(floor).and(largest.compare(VectorOperators.GE, ALL_ZERO)));
      largest.max(floor).neg().add(offset).lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats()
          .intoArray(tile.scale, at);
    }
    return !bad.anyTrue();
  }

  private static boolean products(TensorTile tile, int first, int count) {
    for (int at = 0; at < OUTPUTS; at += FLOATS.length()) {
      var scale = FloatVector.fromArray(FLOATS, tile.scale, at);
      var start = cut(FloatVector.fromArray(FLOATS, tile.sums, at).mul(scale));
      totals(tile, first, Math.min(count, SAFE), at, scale, start).intoArray(tile.low, at);
      totals(tile, first + SAFE, count - SAFE, at, scale, IntVector.zero(INTS)).intoArray(tile.high, at);
    }
    return true;
  }

  private static IntVector totals(TensorTile tile, int first, int count, int at, FloatVector scale, IntVector start) {
    float[] a = tile.a.values;
    float[] b = tile.b.values;
    int n = at / ROWS;
    int m = at % ROWS;
    var total = start;
    for (int k = first; k < first + count; k++) {
      total = total.add(cut(FloatVector.fromArray(FLOATS, a, k * ROWS + m).mul(b[k * COLUMNS + n]).mul(scale)));
    }
    return total;
  }

  private static IntVector cut(FloatVector values) {
    return (IntVector) values.convert(VectorOperators.F2I, 0);
  }
}
