package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.numerics.ElementType;

/** exp(x - max) / Σ exp(x - max); the summary is a maximum and the sum relative to it. */
record SoftmaxRows() implements RowOperation {
  private static final float LOG2_E = 1.44269504f;
  /** Below every finite value, yet its difference to itself is a number. */
  private static final float LOWEST = -Float.MAX_VALUE;

  @Override
  public String name() {
    return "softmax";
  }

  @Override
  public List<String> vectors() {
    return List.of();
  }

  @Override
  public int leastBytes(ElementType type) {
    return type.bits() == 32 ? 256 << 10 : 32 << 10;
  }

  /** It takes exponentials to merge summaries: of many CTAs and warps they are too many. */
  @Override
  public int cluster(int enough, int most) {
    return Math.min(enough, most);
  }

  @Override
  public int warps(int cluster) {
    return cluster > 2 ? 8 : 16;
  }

  @Override
  public int ringBytes(int cluster) {
    return 128 << 10;
  }

  @Override
  public int width() {
    return 2;
  }

  @Override
  public List<F32> summary(Supplier<List<F32>> values) {
    var all = values.get();
    var max = all.stream().reduce(all.getFirst().constant(LOWEST), F32::max);
    return List.of(max, values.get().stream().map(v -> power(v, max)).reduce(F32::plus).orElseThrow());
  }

  @Override
  public List<F32> merge(int each, List<F32> a, List<F32> b) {
    var max = a.get(0).max(b.get(0));
    return List.of(max, a.get(1).times(power(a.get(0), max)).plus(b.get(1).times(power(b.get(0), max))));
  }

  @Override
  public List<F32> factors(int n, List<F32> summary) {
    return List.of(summary.get(0), summary.get(1).constant(1f).dividedBy(summary.get(1)));
  }

  @Override
  public F32 result(F32 value, List<F32> factors, List<F32> shared) {
    return power(value, factors.get(0)).times(factors.get(1));
  }

  private static F32 power(F32 x, F32 max) {
    return x.minus(max).times(LOG2_E).exp2();
  }
}
