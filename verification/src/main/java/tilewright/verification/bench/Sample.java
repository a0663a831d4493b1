package tilewright.verification.bench;

import java.util.Arrays;
import java.util.List;

/** Times of equal runs, in milliseconds, or their ratios. */
record Sample(List<Double> times) {
  Sample {
    if (times.isEmpty()) throw new IllegalArgumentException("no times to take the median of");
    times = times.stream().sorted().toList();
  }

  static Sample of(double... times) {
    return new Sample(Arrays.stream(times).boxed().toList());
  }

  double median() {
    return quantile(0.5);
  }

  /** The q-quantile, interpolated linearly between neighbours. */
  double quantile(double q) {
    double at = q * (times.size() - 1);
    int below = (int) at;
    double next = times.get(Math.min(below + 1, times.size() - 1));
    return times.get(below) + (at - below) * (next - times.get(below));
  }

  /** Returns the sample with every value multiplied by {@code factor}. */
  Sample times(double factor) {
    return new Sample(times.stream().map(time -> time * factor).toList());
  }

  /** The 10th and the 90th percentile. */
  List<Double> spread() {
    return List.of(quantile(0.1), quantile(0.9));
  }
}
