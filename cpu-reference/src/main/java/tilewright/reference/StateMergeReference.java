package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tilewright.numerics.ElementType;

/**
 * "O" (B,S,H,D) and "LSE" (B,H,S) of attention from its parts "partialO" (N,B,S,H,D) and "partialLSE" (N,B,H,S), and
 * where there are "sinks" (H) a logit of each head: L = ln Σₙ e^LSEₙ and O = Σₙ e^(LSEₙ − L)·Oₙ. A part without keys,
 * whose logarithm is −∞ or whose sum is 0, has no O. Where sums are apart, parts have "partialMaxima" and "partialSums"
 * in place of the logarithms, and results "Maxima" m = maxₙ mₙ and "Sums" Σₙ ℓₙ·e^(mₙ − m).
 *
 * @param output type of O
 * @param apart whether maxima and sums are apart
 */
public record StateMergeReference(int states, int queries, int heads, int dim, ElementType output, boolean apart)
    implements Reference {
  private static final String SINKS = "sinks";

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var parts = tensors.get("partialO");
    var logs = tensors.get(apart ? "partialMaxima" : "partialLSE");
    int rows = tensors.get(apart ? "Maxima" : "LSE").length;
    var o = new Expected("O", new double[rows * dim], new double[rows * dim], false);
    var lse = new Expected(apart ? "Maxima" : "LSE", new double[rows], new double[rows], apart);
    var sums = new Expected("Sums", new double[rows], new double[rows], false);
    for (int row = 0; row < rows; row++) {
      int head = row % heads;
      int query = row / heads % queries;
      int at = (row / heads / queries * heads + head) * queries + query;
      var all = new double[states + 1];
      for (int n = 0; n < states; n++) all[n] = logs[n * rows + at];
      all[states] = tensors.containsKey(SINKS) ? tensors.get(SINKS)[head] : Double.NEGATIVE_INFINITY;
      var own = new double[states + 1];
      Arrays.fill(own, 1);
      for (int n = 0; apart && n < states; n++) own[n] = tensors.get("partialSums")[n * rows + at];
      merge(parts, row, all, own, o, lse, sums, at);
    }
    return apart ? List.of(o, lse, sums) : List.of(o, lse);
  }

  /** @param own sum of each part relative to its logarithm or maximum */
  private void merge(double[] parts, int row, double[] logs, double[] own, Expected o, Expected lse, Expected sums,
      int at) {
    double largest = Arrays.stream(logs).reduce(-Float.MAX_VALUE, Math::max);
    double sum = 0;
    float single = 0;
    for (int n = 0; n < logs.length; n++) {
      sum += own[n] * Math.exp(logs[n] - largest);
      single += (float) own[n] * (float) Math.exp((float) logs[n] - (float) largest);
    }
    sums.exact()[at] = sum;
    sums.stepwise()[at] = single;
    if (apart) {
      lse.exact()[at] = sum == 0 ? Double.NEGATIVE_INFINITY : largest;
      lse.stepwise()[at] = lse.exact()[at];
    } else {
      lse.exact()[at] = largest + Math.log(sum);
      lse.stepwise()[at] = (float) ((float) largest + (float) Math.log(single));
    }
    int rows = lse.exact().length;
    for (int d = 0; d < dim; d++) {
      // A logarithm that is no number leaves none, even where no part has keys.
      double exact = Double.isNaN(sum) ? Double.NaN : 0;
      float stepwise = (float) exact;
      for (int n = 0; n < states; n++) {
        if (logs[n] == Double.NEGATIVE_INFINITY || own[n] == 0) continue;
        double value = parts[(n * rows + row) * dim + d];
        exact += own[n] * Math.exp(logs[n] - largest) / sum * value;
        stepwise = Math.fma((float) own[n] * (float) Math.exp((float) logs[n] - (float) largest) / single,
            (float) value, stepwise);
      }
      o.exact()[row * dim + d] = exact;
      o.stepwise()[row * dim + d] = output.round(stepwise);
    }
  }
}
