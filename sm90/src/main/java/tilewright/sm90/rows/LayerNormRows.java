package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.numerics.ElementType;

/**
 * (x - mean) / √(variance + 10⁻⁵) · w + b; the summary is the sum and the sum of squared differences to the
 * mean, which merges without cancellation (Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for
 * Computing Sample Variances").
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
    return 2;
  }

  @Override
  public List<F32> summary(Supplier<List<F32>> values) {
    var all = values.get();
    var sum = all.stream().reduce(F32::plus).orElseThrow();
    var mean = sum.times(1f / all.size());
    var squares = sum.constant(0f);
    for (var v : values.get()) {
      var difference = v.minus(mean);
      squares = difference.fma(difference, squares);
    }
    return List.of(sum, squares);
  }

  @Override
  public List<F32> merge(int each, List<F32> a, List<F32> b) {
    var difference = a.get(0).minus(b.get(0));
    return List.of(a.get(0).plus(b.get(0)),
        difference.times(0.5f / each).fma(difference, a.get(1).plus(b.get(1))));
  }

  @Override
  public List<F32> factors(int n, List<F32> summary) {
    return List.of(summary.get(0).times(1f / n),
        summary.get(1).times(1f / n).plus(EPSILON).reciprocalRoot());
  }

  @Override
  public F32 result(F32 value, List<F32> factors, List<F32> shared) {
    return value.minus(factors.get(0)).times(factors.get(1)).fma(shared.get(0), shared.get(1));
  }
}
