package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tilewright.numerics.ElementType;

/**
 * "O" (B,S,H,D) and "LSE" (B,H,S) of attention from its parts "partialO" (N,B,S,H,D) and "partialLSE" (N,B,H,S), and
 * where there are "sinks" (H) a logit of each head: L = ln Σₙ e^LSEₙ and O = Σₙ e^(LSEₙ − L)·Oₙ. A part without keys,
 * whose logarithm is −∞, has no O.
 *
 * @param output type of O
 */
public record StateMergeReference(int states, int queries, int heads, int dim, ElementType output)
    implements Reference {
  private static final String SINKS = "sinks";

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var parts = tensors.get("partialO");
    var logs = tensors.get("partialLSE");
    int rows = tensors.get("LSE").length;
    var o = new Expected("O", new double[rows * dim], new double[rows * dim], false);
    var lse = new Expected("LSE", new double[rows], new double[rows], false);
    for (int row = 0; row < rows; row++) {
      int head = row % heads;
      int query = row / heads % queries;
      int at = (row / heads / queries * heads + head) * queries + query;
      var all = new double[states + 1];
      for (int n = 0; n < states; n++) all[n] = logs[n * rows + at];
      all[states] = tensors.containsKey(SINKS) ? tensors.get(SINKS)[head] : Double.NEGATIVE_INFINITY;
      merge(parts, row, all, o, lse, at);
    }
    return List.of(o, lse);
  }

  private void merge(double[] parts, int row, double[] logs, Expected o, Expected lse, int at) {
    double largest = Arrays.stream(logs).reduce(-Float.MAX_VALUE, Math::max);
    double sum = 0;
    float single = 0;
    for (double log : logs) {
      sum += Math.exp(log - largest);
      single += (float) Math.exp((float) log - (float) largest);
    }
    lse.exact()[at] = largest + Math.log(sum);
    lse.stepwise()[at] = (float) ((float) largest + (float) Math.log(single));
    int rows = lse.exact().length;
    for (int d = 0; d < dim; d++) {
      // A logarithm that is no number leaves none, even where no part has keys.
      double exact = Double.isNaN(sum) ? Double.NaN : 0;
      float stepwise = (float) exact;
      for (int n = 0; n < states; n++) {
        if (logs[n] == Double.NEGATIVE_INFINITY) continue;
        double value = parts[(n * rows + row) * dim + d];
        exact += Math.exp(logs[n] - largest) / sum * value;
        stepwise = Math.fma((float) Math.exp((float) logs[n] - (float) largest) / single, (float) value, stepwise);
      }
      o.exact()[row * dim + d] = exact;
      o.stepwise()[row * dim + d] = output.round(stepwise);
    }
  }
}
