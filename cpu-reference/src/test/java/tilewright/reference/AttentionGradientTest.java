package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class AttentionGradientTest {
  private static final double STEP = 1e-5;

  @Test
  void closedFormsAreTheFiniteDifferences() {
    for (var rule : List.of(ScoreRule.NONE, ScoreRule.causal(4, 3), ScoreRule.softcap(0.7),
        ScoreRule.window(4, 3, 1, 1).and(ScoreRule.bias((b, h, q, k) -> 0.1 * h * (q - k)))
            .and(ScoreRule.softcap(2)))) {
      var tensors = List.of(normal("(2,4,4,3):(48,12,3,1)", 1), normal("(2,3,2,3):(18,6,3,1)", 2),
          normal("(2,3,2,5):(30,10,5,1)", 3));
      var forward = new AttentionReference(tensors.get(0), tensors.get(1), tensors.get(2), 0.6, rule);
      var random = new SplittableRandom(4);
      var dO = random.doubles(forward.exact().o().length, -1, 1).toArray();
      var gradient = AttentionGradient.of(forward, dO);
      var closed = List.of(gradient.dq(), gradient.dk(), gradient.dv());
      for (int t = 0; t < 3; t++) {
        for (int i = 0; i < tensors.get(t).size(); i++) {
          assertEquals(difference(forward, tensors.get(t), i, dO), closed.get(t)[i], 1e-8, "tensor " + t + " at " + i);
        }
      }
    }
  }

  private static double difference(AttentionReference forward, TensorView tensor, int i, double[] dO) {
    double value = tensor.value(i);
    tensor.set(i, value + STEP);
    double above = loss(forward, dO);
    tensor.set(i, value - STEP);
    double below = loss(forward, dO);
    tensor.set(i, value);
    return (above - below) / (2 * STEP);
  }

  private static double loss(AttentionReference forward, double[] dO) {
    var o = forward.exact().o();
    double sum = 0;
    for (int i = 0; i < o.length; i++) sum += o[i] * dO[i];
    return sum;
  }

  private static TensorView normal(String layout, long seed) {
    var parsed = Layout.parse(layout);
    var view = new TensorView(ElementType.F64, MemorySegment.ofArray(new byte[(int) parsed.cosize() * 8]), parsed);
    Inputs.normal(view, seed);
    return view;
  }
}
