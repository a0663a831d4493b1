package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.F32;

/** Sums of singles that keep what rounding takes from them; lists are (sum, rest). */
final class TwoPartSum {
  /** Of nothing. */
  static final List<Float> NONE = List.of(0f, 0f);

  private TwoPartSum() {}

  /** Commutative. What the sum of two singles lacks is a single (Knuth's two-sum). */
  static List<F32> merge(List<F32> a, List<F32> b) {
    var sum = a.get(0).plus(b.get(0));
    var other = sum.minus(a.get(0));
    var lost = a.get(0).minus(sum.minus(other)).plus(b.get(0).minus(other));
    return List.of(sum, a.get(1).plus(b.get(1)).plus(lost));
  }

  /** One divided by it: q and e of q · (1 + e). */
  static List<F32> reciprocal(List<F32> sum) {
    var one = sum.get(0).constant(1);
    var quotient = one.dividedBy(sum.get(0));
    return List.of(quotient, sum.get(0).negated().fma(quotient, one).minus(sum.get(1).times(quotient)));
  }
}
