package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.reference.AttentionReference;
import tilewright.reference.Comparison;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/**
 * Attention beside its reference: O by the error rule, the logarithms within 10⁻⁵ of their magnitude. Sums of 8-bit
 * products are less precise than that on some tensor cores; the logarithms of codes may have 1.5 times their error too.
 */
public final class AttentionCheck {
  private static final double LOG_TOLERANCE = 1e-5;
  private static final double FACTOR = 1.5;

  private AttentionCheck() {}

  /** The mask and score modification of a problem, in Java, for a sequence of a number of queries and keys. */
  @FunctionalInterface
  public interface Rules {
    ScoreRule of(int sequence, int queries, int keys);
  }

  /** Compares with sums in FP32. */
  public static Verdict compare(AttentionProblem p, Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out) {
    return compare(p, rules, in, out, TensorCores.FP32);
  }

  /**
   * Compares with what P of a block refers to itself.
   *
   * @param tensorCores that make the kernel's sums of 8-bit products
   */
  public static Verdict compare(AttentionProblem p, Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, TensorCores tensorCores) {
    return compare(p, rules, in, out, tensorCores, false);
  }

  /**
   * Compares a kernel's results with the reference.
   *
   * @param tensorCores that make the kernel's sums of 8-bit products
   * @param anticipates whether P of a block of codes refers to the blocks before
   */
  public static Verdict compare(AttentionProblem p, Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, TensorCores tensorCores, boolean anticipates) {
    if (p.serving().scatters()) return compareEntries(p, rules, in, out, tensorCores);
    var sequences = AttentionSequence.of(p, in);
    var total = Verdict.NONE;
    for (int i = 0; i < sequences.size(); i++) {
      var s = sequences.get(i);
      // Where there are no results, there may be no heads to share others.
      if (s.queries() * p.sizes().heads() * p.sizes().batch() == 0) continue;
      total = total.and(compare(s, s.reference(rules.of(i, s.queries(), s.keys()), in, tensorCores, anticipates),
          out));
    }
    return total;
  }

  private static Verdict compareEntries(AttentionProblem p, Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, TensorCores tensorCores) {
    var entries = CacheEntry.of(p, in);
    var total = Verdict.NONE;
    for (int i = 0; i < entries.size(); i++) {
      int entry = i;
      total = total.and(compare(entries.get(i).problem(), (_, q, k) -> rules.of(entry, q, k), entries.get(i).in(),
          out, tensorCores));
    }
    return total;
  }

  private static Verdict compare(AttentionSequence s, AttentionReference reference, Map<String, MemorySegment> out) {
    var p = s.problem();
    var exact = reference.exact();
    var stepwise = reference.stepwise();
    var ours = s.output(out).values();
    var comparison = Comparison.of(ours, exact.o(), stepwise.o(), p.outputType(),
        IntStream.range(0, ours.length).toArray());
    double factor = p.quantized().isPresent() ? FACTOR : 0;
    double allowed = factor * largestError(stepwise.lse(), exact.lse());
    double ofMaxima = factor * largestError(stepwise.maxima(), exact.maxima());
    var logs = p.lse().flatMap(lse -> wrongLog(s.logarithms(lse, out), exact.lse(), allowed));
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        Optional.empty(), comparison.violation().map(v -> "O: " + v).or(() -> logs)
            .or(() -> ApartStatistics.wrong(s, exact, ofMaxima, out)));
  }

  private static double largestError(double[] stepwise, double[] exact) {
    return IntStream.range(0, exact.length).mapToDouble(i -> Math.abs(stepwise[i] - exact[i]))
        .filter(Double::isFinite).max().orElse(0);
  }

  private static Optional<String> wrongLog(TensorView ours, double[] exact, double allowed) {
    for (int i = 0; i < exact.length; i++) {
      double value = ours.value(i);
      double bound = LOG_TOLERANCE * Math.max(1, Math.abs(exact[i])) + allowed;
      if (value != exact[i] && !(Math.abs(value - exact[i]) <= bound)) {
        return Optional.of("LSE: element " + i + " is " + value + ", reference " + exact[i]);
      }
    }
    return Optional.empty();
  }
}
