package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.kernel.collective.TwoPartSum;
import tilewright.numerics.ElementType;

/**
 * (x - mean) / √(variance + 10⁻⁵) · w + b. The summary is the mean, as a number and what rounding took from it, and the
 * sum of squared differences to it; summaries merge without cancellation (Chan, Golub and LeVeque, "Updating Formulae
 * and a Pairwise Algorithm for Computing Sample Variances"). The mean needs both parts where it is large and the
 * variance small: its rounding alone is then many standard deviations.
 */
record LayerNormRows() implements RowOperation {
  private static final float EPSILON = 1e-5f;

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

  @Override
  public int width() {
    return 3;
  }

  @Override
  public List<F32> summary(Supplier<List<F32>> values) {
    var all = values.get();
    int count = all.size();
    // Divided first, the sum overflows only where the mean does.
    var share = all.getFirst().constant(1f / count);
    var mean = all.getFirst().times(share);
    for (var v : all.subList(1, count)) mean = v.fma(share, mean);
    var differences = mean.constant(0f);
    var squares = mean.constant(0f);
    for (var v : values.get()) {
      var difference = v.minus(mean);
      differences = differences.plus(difference);
      squares = difference.fma(difference, squares);
    }
    var lacking = differences.dividedBy(count);
    return List.of(mean, lacking, lacking.negated().fma(differences, squares));
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
