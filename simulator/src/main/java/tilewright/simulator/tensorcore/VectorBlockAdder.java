package tilewright.simulator.tensorcore;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Block addition with the Vector API: the same operations as {@link PlainBlockAdder}, kept in vector registers. */
final class VectorBlockAdder implements BlockAdder {
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED.length() > TensorTile.LEAST_WIDTH
      ? IntVector.SPECIES_512 : IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() > TensorTile.LEAST_WIDTH
      ? FloatVector.SPECIES_512 : FloatVector.SPECIES_PREFERRED;

  @Override
  public boolean add(TensorTile tile, int row, int width, int first, int count, int together, int offset, int least,
      int floor) {
    var outside = IntVector.zero(INTS);
    for (int at = 0; at < width; at += INTS.length()) {
      var sums = FloatVector.fromArray(FLOATS, tile.sums[row], at);
      var largest = largest(tile, row, at, first, count, exponents(sums, least));
      outside = outside.or(largest.neg().add(MOST))
          .or(largest.sub(floor).and(largest.neg().add(ALL_ZERO - 1)));
      var scale = largest.max(floor).neg().add(offset).lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats();
      scale.intoArray(tile.scale, at);
      var start = cut(sums.mul(scale));
      for (int part = 0; part * together < count; part++) {
        int begin = part * together;
        totals(tile, row, at, first + begin, Math.min(together, count - begin), scale, start)
            .intoArray(tile.totals[part], at);
        start = IntVector.zero(INTS);
      }
    }
    return outside.compare(VectorOperators.GE, 0).allTrue();
  }

  private static IntVector exponents(FloatVector sums, int least) {
    var bits = sums.reinterpretAsInts();
    return bits.lanewise(VectorOperators.LSHR, 23).and(0xFF).sub(Float.MAX_EXPONENT).max(least)
        .blend(Factors.ZERO, bits.lanewise(VectorOperators.LSHL, 1).eq(0));
  }

  private static IntVector largest(TensorTile tile, int row, int at, int first, int count, IntVector start) {
    var largest = start;
    for (int k = first; k < first + count; k++) {
      largest = largest.max(IntVector.fromArray(INTS, tile.right.exponents[k], at).add(tile.left.exponents[k][row]));
    }
    return largest;
  }

  private static IntVector totals(TensorTile tile, int row, int at, int first, int count, FloatVector scale,
      IntVector start) {
    var total = start;
    for (int k = first; k < first + count; k++) {
      var right = FloatVector.fromArray(FLOATS, tile.right.values[k], at);
      total = total.add(cut(right.mul(tile.left.values[k][row]).mul(scale)));
    }
    return total;
  }

  private static IntVector cut(FloatVector values) {
    return (IntVector) values.convert(VectorOperators.F2I, 0);
  }
}
