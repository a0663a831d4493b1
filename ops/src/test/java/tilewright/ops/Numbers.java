package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import tilewright.numerics.ElementType;

/** Random inputs, rounded as a tensor holds them, and plain references in FP64. */
final class Numbers {
  private final Random random;
  private final long seed;

  Numbers(long seed) {
    this.seed = seed;
    random = new Random(seed);
  }

  /** Normally distributed numbers that the type holds exactly. */
  float[] of(ElementType type, long count) {
    var numbers = new float[Math.toIntExact(count)];
    for (int i = 0; i < numbers.length; i++) numbers[i] = (float) type.round(random.nextGaussian());
    return numbers;
  }

  DeviceTensor tensor(Ops ops, ElementType type, long... shape) {
    long count = 1;
    for (long extent : shape) count *= extent;
    return ops.tensor(type, of(type, count), shape);
  }

  /** @param steps units in the last place of the result's type that sums in FP32 may be off by, beside one rounding */
  void check(String what, DeviceTensor actual, IntToDoubleFunction expected, double steps) {
    within(what, actual, expected, i -> steps * 1e-6 * Math.max(1, Math.abs(expected.applyAsDouble(i))));
  }

  /** @param more that an element may be off by, beside one rounding */
  void within(String what, DeviceTensor actual, IntToDoubleFunction expected, IntToDoubleFunction more) {
    var numbers = actual.floats();
    for (int i = 0; i < numbers.length; i++) {
      double exact = expected.applyAsDouble(i);
      double tolerance = 0.501 * actual.type().ulp(exact) + more.applyAsDouble(i);
      if (!(Math.abs(numbers[i] - exact) <= tolerance)) {
        fail(what + " of " + actual + ", element " + i + ": expected " + exact + " ± " + tolerance + ", got "
            + numbers[i] + " (seed " + seed + ")");
      }
    }
    assertEquals(actual.elements(), numbers.length);
  }

  /** Like {@link #check}, where probabilities are rounded to the 16 bits of the result's type before they are used. */
  void check16(String what, DeviceTensor actual, IntToDoubleFunction expected) {
    check(what, actual, expected, actual.type().ulp(1) * 1e6);
  }

  /** softmax(scale · Q·Kᵀ)·V of one element of O, keys from {@code first} to before {@code last}. */
  static double attention(float[][] q, float[][] k, float[][] v, int row, int d, int first, int last, double scale,
      double cap) {
    double largest = Double.NEGATIVE_INFINITY;
    var scores = new double[Math.max(0, last - first)];
    for (int key = first; key < last; key++) {
      double score = 0;
      for (int i = 0; i < q[row].length; i++) score += (double) q[row][i] * k[key][i];
      score *= scale;
      scores[key - first] = cap > 0 ? cap * Math.tanh(score / cap) : score;
      largest = Math.max(largest, scores[key - first]);
    }
    double sum = 0;
    double out = 0;
    for (int key = first; key < last; key++) {
      double p = Math.exp(scores[key - first] - largest);
      sum += p;
      out += p * v[key][d];
    }
    return sum == 0 ? 0 : out / sum;
  }
}
