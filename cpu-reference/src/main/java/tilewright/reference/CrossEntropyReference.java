package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tilewright.numerics.ElementType;

/**
 * The cross-entropy of logits X (M,N) with the classes T (M), and its gradient, by their definitions and in FP32. The
 * loss is the tensor L (M) of FP32.
 *
 * @param type of the gradient
 * @param scale the factor of the gradient, but not of the loss
 * @param gradient the tensor that receives the gradient, perhaps X
 */
public record CrossEntropyReference(ElementType type, int columns, float scale, String gradient) implements Reference {
  /** The target of rows that do not count, as in PyTorch. */
  public static final int IGNORED = -100;

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var targets = tensors.get("T");
    var x = tensors.get("X");
    var exact = new Results(new double[targets.length], new double[x.length]);
    var stepwise = new Results(new double[targets.length], new double[x.length]);
    for (int row = 0; row < targets.length; row++) {
      int target = (int) targets[row];
      if (target == IGNORED) continue;
      var values = Arrays.copyOfRange(x, row * columns, (row + 1) * columns);
      if (target < 0 || target >= columns) {
        exact.fill(row, Double.NaN);
        stepwise.fill(row, Double.NaN);
      } else {
        exact(exact, row, values, target);
        stepwise(stepwise, row, values, target);
      }
    }
    return List.of(Expected.rounded("L", exact.losses, stepwise.losses),
        Expected.rounded(gradient, exact.slopes, stepwise.slopes));
  }

  private void exact(Results results, int row, double[] x, int target) {
    double max = max(x);
    double sum = 0;
    for (double v : x) sum += Math.exp(v - max);
    results.losses[row] = max - x[target] + Math.log(sum);
    for (int i = 0; i < x.length; i++) {
      results.slopes[row * columns + i] = (Math.exp(x[i] - max) / sum - (i == target ? 1 : 0)) * scale;
    }
  }

  private void stepwise(Results results, int row, double[] x, int target) {
    float max = (float) max(x);
    float sum = 0;
    for (double v : x) sum += (float) Math.exp((float) v - max);
    results.losses[row] = max - (float) x[target] + (float) Math.log(sum);
    for (int i = 0; i < x.length; i++) {
      float share = (float) Math.exp((float) x[i] - max) / sum;
      results.slopes[row * columns + i] = type.round((share - (i == target ? 1 : 0)) * scale);
    }
  }

  private static double max(double[] x) {
    return Arrays.stream(x).reduce(Double.NEGATIVE_INFINITY, Math::max);
  }

  private record Results(double[] losses, double[] slopes) {
    void fill(int row, double value) {
      int columns = slopes.length / losses.length;
      losses[row] = value;
      Arrays.fill(slopes, row * columns, (row + 1) * columns, value);
    }
  }
}
