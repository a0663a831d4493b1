package tilewright.reference;

import java.util.List;
import java.util.Map;
import tilewright.numerics.ElementType;

/**
 * One step of AdamW (Loshchilov and Hutter, 2019, algorithm 2) on parameters P, gradients G and moments M and V, by its
 * definition and in FP32.
 *
 * @param type of the parameters
 * @param correction1 1 − β₁ᵗ in step t
 * @param correction2 1 − β₂ᵗ
 */
public record AdamWReference(ElementType type, float rate, float beta1, float beta2, float epsilon, float decay,
    float correction1, float correction2) implements Reference {

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var p = new Results(tensors.get("P"));
    var m = new Results(tensors.get("M"));
    var v = new Results(tensors.get("V"));
    var g = tensors.get("G");
    for (int i = 0; i < g.length; i++) {
      exact(i, p, g[i], m, v);
      stepwise(i, p, (float) g[i], m, v);
    }
    return List.of(p.of("P"), m.of("M"), v.of("V"));
  }

  private void exact(int i, Results p, double g, Results m, Results v) {
    double mean = beta1 * m.exact[i] + (1 - (double) beta1) * g;
    double square = beta2 * v.exact[i] + (1 - (double) beta2) * g * g;
    double step = mean / correction1 / (Math.sqrt(square / correction2) + epsilon);
    p.exact[i] -= rate * (step + decay * p.exact[i]);
    m.exact[i] = mean;
    v.exact[i] = square;
  }

  private void stepwise(int i, Results p, float g, Results m, Results v) {
    float mean = beta1 * (float) m.stepwise[i] + (1 - beta1) * g;
    float square = beta2 * (float) v.stepwise[i] + (1 - beta2) * (g * g);
    float step = mean / correction1 / ((float) Math.sqrt(square / correction2) + epsilon);
    float before = (float) p.stepwise[i];
    p.stepwise[i] = type.round(before - rate * (step + decay * before));
    m.stepwise[i] = mean;
    v.stepwise[i] = square;
  }

  /** A tensor's results, which begin as what it holds before the step. */
  private record Results(double[] exact, double[] stepwise) {
    Results(double[] before) {
      this(before.clone(), before.clone());
    }

    Expected of(String tensor) {
      return Expected.rounded(tensor, exact, stepwise);
    }
  }
}
