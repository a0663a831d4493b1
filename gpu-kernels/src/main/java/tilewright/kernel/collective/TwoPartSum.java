package tilewright.kernel.collective;

import java.util.List;
import tilewright.kernel.F32;

/** FP32 sums that keep what rounding takes from them; lists are (sum, rest). */
public final class TwoPartSum {
  /** The sum of nothing. */
  public static final List<Float> NONE = List.of(0f, 0f);

  private TwoPartSum() {}

  /** The sum of both, commutative: what the sum of two FP32 numbers lacks is an FP32 number (Knuth's two-sum). */
  public static List<F32> merge(List<F32> a, List<F32> b) {
    var sum = a.get(0).plus(b.get(0));
    var other = sum.minus(a.get(0));
    var lost = a.get(0).minus(sum.minus(other)).plus(b.get(0).minus(other));
    return List.of(sum, a.get(1).plus(b.get(1)).plus(lost));
  }

  /** One divided by the sum: q and e of q · (1 + e). */
  public static List<F32> reciprocal(List<F32> sum) {
    var one = sum.get(0).constant(1);
    var quotient = one.dividedBy(sum.get(0));
    return List.of(quotient, sum.get(0).negated().fma(quotient, one).minus(sum.get(1).times(quotient)));
  }
}
