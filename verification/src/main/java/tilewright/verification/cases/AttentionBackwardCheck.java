package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionGradient;
import tilewright.reference.Comparison;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/** Attention's gradients beside their reference, each of dQ, dK and dV by the error rule. */
public final class AttentionBackwardCheck {
  private AttentionBackwardCheck() {}

  public static Verdict compare(AttentionBackwardProblem p, AttentionCheck.Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out) {
    var sequences = AttentionSequence.of(p.forward(), in);
    var total = Verdict.NONE;
    for (int i = 0; i < sequences.size(); i++) {
      var s = sequences.get(i);
      total = total.and(compare(p, rules.of(i, s.queries(), s.keys()), in, out, s));
    }
    return total;
  }

  private static Verdict compare(AttentionBackwardProblem p, ScoreRule rule, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, AttentionSequence s) {
    var sizes = p.forward().sizes();
    var gradient = new AttentionGradient(s.reference(rule, in), s.ofQueries(p.dO(), sizes.valueDim(), in));
    var exact = gradient.exact();
    var stepwise = gradient.stepwise();
    return of("dQ", s.ofQueries(p.dQ(), sizes.headDim(), out), exact.dq(), stepwise.dq())
        .and(of("dK", s.ofKeys(p.dK(), sizes.headDim(), out), exact.dk(), stepwise.dk()))
        .and(of("dV", s.ofKeys(p.dV(), sizes.valueDim(), out), exact.dv(), stepwise.dv()));
  }

  private static Verdict of(String name, TensorView ours, double[] exact, double[] stepwise) {
    ElementType type = ours.type();
    var comparison = Comparison.of(ours.values(), exact, stepwise, type, IntStream.range(0, exact.length).toArray());
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        Optional.empty(), comparison.violation().map(v -> name + ": " + v));
  }
}
