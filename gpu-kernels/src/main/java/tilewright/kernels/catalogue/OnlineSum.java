package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.F32;

/** A maximum and a sum of exponentials relative to it, which grow together; lists are (maximum, sum). */
final class OnlineSum {
  private static final float LOG2_E = 1.44269504f;
  /** Below every finite value, yet its difference to itself is a number. */
  static final float LOWEST = -Float.MAX_VALUE;
  /** Of nothing. */
  static final List<Float> NONE = List.of(LOWEST, 0f);

  private OnlineSum() {}

  /** With more values, the sum so far made relative to the new maximum once. */
  static List<F32> add(List<F32> so, List<F32> values) {
    var max = values.stream().reduce(so.get(0), F32::max);
    var rescaled = so.get(1).times(scale(so.get(0), max));
    return List.of(max, values.stream().map(v -> scale(v, max)).reduce(rescaled, F32::plus));
  }

  static List<F32> merge(List<F32> a, List<F32> b) {
    var max = a.get(0).max(b.get(0));
    return List.of(max, a.get(1).times(scale(a.get(0), max)).plus(b.get(1).times(scale(b.get(0), max))));
  }

  /** exp(x - max). */
  static F32 scale(F32 x, F32 max) {
    return x.minus(max).times(LOG2_E).exp2();
  }
}
