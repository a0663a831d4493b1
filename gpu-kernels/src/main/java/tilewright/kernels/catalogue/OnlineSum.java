package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.collective.Exponential;
import tilewright.kernel.collective.RowTile;

/** A maximum and a sum of exponentials relative to it, which grow together; lists are (maximum, sum). */
record OnlineSum(Exponential exponential) {
  /** Below every finite value, yet its difference to itself is a number. */
  static final float LOWEST = -Float.MAX_VALUE;
  /** The maximum and the sum of no values. */
  static final List<Float> NONE = List.of(LOWEST, 0f);

  /** The maximum and the sum of each of a tile's rows, in one pass. */
  RowTile.PerRow of(RowTile tile) {
    return tile.reduce(NONE, (run, so) -> add(so, run.valuesOr(Float.NEGATIVE_INFINITY)), this::merge);
  }

  /** Adds values; the sum so far is made relative to the new maximum once. */
  List<F32> add(List<F32> so, List<F32> values) {
    var max = values.stream().reduce(so.get(0), F32::max);
    return List.of(max, values.stream().map(v -> exponential.of(v.minus(max)))
        .reduce(relative(so.get(1), so.get(0), max), F32::plus));
  }

  List<F32> merge(List<F32> a, List<F32> b) {
    var max = a.get(0).max(b.get(0));
    return List.of(max, relative(a.get(1), a.get(0), max).plus(relative(b.get(1), b.get(0), max)));
  }

  /** A sum that was relative to one maximum made relative to a larger one. */
  F32 relative(F32 sum, F32 from, F32 to) {
    return exponential.times(from.minus(to), sum);
  }
}
