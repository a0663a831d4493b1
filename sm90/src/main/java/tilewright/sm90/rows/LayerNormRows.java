package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.kernel.collective.TwoPartSum;
import tilewright.numerics.ElementType;

/**
 * (x - mean) / √(variance + 10⁻⁵) · w + b. The summary is the mean, as a number near it and what that lacks, and the sum
 * of squared differences to it; summaries merge without cancellation (Chan, Golub and LeVeque, "Updating Formulae
 * and a Pairwise Algorithm for Computing Sample Variances"). The mean needs both parts where it is large and the
 * variance small: its rounding alone is then many standard deviations.
 */
record LayerNormRows() implements RowOperation {
  private static final float EPSILON = 1e-5f;
  /** Values whose mean is the pivot: enough that an outlier among them costs the variance few digits. */
  private static final int MOST_IN_PIVOT = 8;

  @Override
  public String name() {
    return "layer_norm";
  }

  @Override
  public List<String> vectors() {
    return List.of("W", "B");
  }

  @Override
  public int leastBytes(ElementType type) {
    return 32 << 10;
  }

  /** Merging two-part means of more CTAs takes longer than their shared memory gains: 13 % on rows of 128 KiB. */
  @Override
  public int cluster(int enough, int most) {
    return Math.min(enough, most);
  }

  @Override
  public int width() {
    return 3;
  }

  @Override
  public List<F32> summary(Supplier<List<F32>> values) {
    var all = values.get();
    int count = all.size();
    // Any number near the mean will do to take differences to; divided first, its sum overflows only where it does.
    int few = Math.min(MOST_IN_PIVOT, Integer.highestOneBit(count));
    var share = all.getFirst().constant(1f / few);
    var pivot = all.getFirst().times(share);
    for (var v : all.subList(1, few)) pivot = v.fma(share, pivot);
    var differences = pivot.constant(0f);
    var squares = pivot.constant(0f);
    for (var v : values.get()) {
      var difference = v.minus(pivot);
      differences = differences.plus(difference);
      squares = difference.fma(difference, squares);
    }
    var lacking = differences.dividedBy(count);
    return List.of(pivot, lacking, lacking.negated().fma(differences, squares));
  }

  @Override
  public List<F32> merge(int each, List<F32> a, List<F32> b) {
    var mean = TwoPartSum.merge(halves(a), halves(b));
    var difference = a.get(0).minus(b.get(0)).plus(a.get(1).minus(b.get(1)));
    return List.of(mean.get(0), mean.get(1),
        difference.times(0.5f * each).fma(difference, a.get(2).plus(b.get(2))));
  }

  /** Half of a mean's two parts. */
  private static List<F32> halves(List<F32> summary) {
    return summary.subList(0, 2).stream().map(part -> part.times(0.5f)).toList();
  }

  @Override
  public List<F32> factors(int n, List<F32> summary) {
    var variance = summary.get(2).max(summary.get(2).constant(0)).dividedBy(n);
    return List.of(summary.get(0), summary.get(1), variance.plus(EPSILON).refinedReciprocalRoot());
  }

  @Override
  public F32 result(F32 value, List<F32> factors, List<F32> shared) {
    return value.minus(factors.get(0)).minus(factors.get(1)).times(factors.get(2)).fma(shared.get(0), shared.get(1));
  }
}
