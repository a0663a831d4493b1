package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.reference.Comparison;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/** Attention beside its reference: O by the error rule, the logarithms within 10⁻⁵ of their magnitude. */
public final class AttentionCheck {
  private static final double LOG_TOLERANCE = 1e-5;

  private AttentionCheck() {}

  /** The mask and score modification of a problem, in Java, for a sequence of a number of queries and keys. */
  @FunctionalInterface
  public interface Rules {
    ScoreRule of(int sequence, int queries, int keys);
  }

  public static Verdict compare(AttentionProblem p, Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out) {
    var sequences = AttentionSequence.of(p, in);
    var total = Verdict.NONE;
    for (int i = 0; i < sequences.size(); i++) {
      var s = sequences.get(i);
      total = total.and(compare(p, rules.of(i, s.queries(), s.keys()), in, out, s));
    }
    return total;
  }

  private static Verdict compare(AttentionProblem p, ScoreRule rule, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, AttentionSequence s) {
    // Where there are no results, there may be no heads to share others.
    if (s.queries() * p.sizes().heads() * p.sizes().batch() == 0) return Verdict.NONE;
    var reference = s.reference(rule, in);
    var exact = reference.exact();
    var ours = s.ofQueries(p.o(), p.sizes().valueDim(), out).values();
    var comparison = Comparison.of(ours, exact.o(), reference.stepwise().o(), p.type(),
        IntStream.range(0, ours.length).toArray());
    var logs = p.lse().flatMap(lse -> wrongLog(s.logarithms(lse, out), exact.lse()));
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        Optional.empty(), comparison.violation().map(v -> "O: " + v).or(() -> logs));
  }

  private static Optional<String> wrongLog(TensorView ours, double[] exact) {
    for (int i = 0; i < exact.length; i++) {
      double value = ours.value(i);
      double bound = LOG_TOLERANCE * Math.max(1, Math.abs(exact[i]));
      if (value != exact[i] && !(Math.abs(value - exact[i]) <= bound)) {
        return Optional.of("LSE: element " + i + " is " + value + ", reference " + exact[i]);
      }
    }
    return Optional.empty();
  }
}
