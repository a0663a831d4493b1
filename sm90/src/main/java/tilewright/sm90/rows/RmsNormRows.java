package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.numerics.ElementType;

/** x / √(mean of x² + 10⁻⁵) · w; the summary is the sum of squares. */
record RmsNormRows() implements RowOperation {
  private static final float EPSILON = 1e-5f;

  @Override
  public String name() {
    return "rms_norm";
  }

  @Override
  public List<String> vectors() {
    return List.of("W");
  }

  @Override
  public int leastBytes(ElementType type) {
    return 64 << 10;
  }

  @Override
  public int width() {
    return 1;
  }

  @Override
  public List<F32> summary(Supplier<List<F32>> values) {
    var all = values.get();
    var sum = all.getFirst().times(all.getFirst());
    for (var v : all.subList(1, all.size())) sum = v.fma(v, sum);
    return List.of(sum);
  }

  @Override
  public List<F32> merge(int each, List<F32> a, List<F32> b) {
    return List.of(a.getFirst().plus(b.getFirst()));
  }

  @Override
  public List<F32> factors(int n, List<F32> summary) {
    return List.of(summary.getFirst().dividedBy(n).plus(EPSILON).refinedReciprocalRoot());
  }

  @Override
  public F32 result(F32 value, List<F32> factors, List<F32> shared) {
    return value.times(factors.getFirst()).times(shared.getFirst());
  }
}
