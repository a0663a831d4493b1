package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionReference;
import tilewright.reference.Comparison;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/** Attention beside its reference: O by the error rule, the logarithms within 10⁻⁵ of their magnitude. */
public final class AttentionCheck {
  private static final double LOG_TOLERANCE = 1e-5;

  private AttentionCheck() {}

  /** One sequence of a problem: rows of Q and of K that it begins at, and how many it has. */
  private record Sequence(int firstQuery, int queries, int firstKey, int keys) {}

  /** The mask and score modification of a problem, in Java, for a sequence of a number of queries and keys. */
  @FunctionalInterface
  public interface Rules {
    ScoreRule of(int sequence, int queries, int keys);
  }

  public static Verdict compare(AttentionProblem p, Rules rules, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out) {
    var sequences = sequences(p, in);
    var total = new Verdict(OptionalDouble.of(0), OptionalDouble.of(0), Optional.empty(), Optional.empty());
    for (int i = 0; i < sequences.size(); i++) {
      var s = sequences.get(i);
      var next = compare(p, rules.of(i, s.queries, s.keys), in, out, s);
      total = new Verdict(OptionalDouble.of(Math.max(total.maxError().getAsDouble(), next.maxError().getAsDouble())),
          OptionalDouble.of(Math.max(total.meanError().getAsDouble(), next.meanError().getAsDouble())),
          Optional.empty(), total.violation().or(next::violation));
    }
    return total;
  }

  private static List<Sequence> sequences(AttentionProblem p, Map<String, MemorySegment> in) {
    if (p.packed().isEmpty()) return List.of(new Sequence(0, p.sizes().queries(), 0, p.sizes().keys()));
    var all = new ArrayList<Sequence>();
    var packed = p.packed().get();
    var queries = Buffers.values(ElementType.I32, in.get(packed.queries()));
    var keys = Buffers.values(ElementType.I32, in.get(packed.keys()));
    for (int i = 0; i < packed.sequences(); i++) {
      all.add(new Sequence((int) queries[i], (int) (queries[i + 1] - queries[i]), (int) keys[i],
          (int) (keys[i + 1] - keys[i])));
    }
    return all;
  }

  private static Verdict compare(AttentionProblem p, ScoreRule rule, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, Sequence s) {
    var sizes = p.sizes();
    // Where there are no results, there may be no heads to share others.
    if (s.queries * sizes.heads() * sizes.batch() == 0) {
      return new Verdict(OptionalDouble.of(0), OptionalDouble.of(0), Optional.empty(), Optional.empty());
    }
    var reference = new AttentionReference(
        view(p, p.q(), in, s.firstQuery, s.queries, sizes.heads(), sizes.headDim()),
        view(p, p.k(), in, s.firstKey, s.keys, sizes.keyHeads(), sizes.headDim()),
        view(p, p.v(), in, s.firstKey, s.keys, sizes.keyHeads(), sizes.valueDim()), p.scale(), rule);
    var exact = reference.exact();
    var ours = view(p, p.o(), out, s.firstQuery, s.queries, sizes.heads(), sizes.valueDim()).values();
    var comparison = Comparison.of(ours, exact.o(), reference.stepwise().o(), p.type(),
        IntStream.range(0, ours.length).toArray());
    var logs = p.lse().flatMap(lse -> wrongLog(view(p, lse, out, s.firstQuery, s.queries, sizes.heads()),
        exact.lse()));
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

  private static TensorView view(AttentionProblem p, View v, Map<String, MemorySegment> buffers, long first, int rows,
      int heads, int dim) {
    return new TensorView(p.type(), buffers.get(v.buffer()), v.offset() + first * v.sequence() * p.type().bytes(),
        new Layout(IntTuple.flat(p.sizes().batch(), rows, heads, dim),
            IntTuple.flat(v.batch(), v.sequence(), v.head(), v.dim())));
  }

  private static TensorView view(AttentionProblem p, View v, Map<String, MemorySegment> buffers, long first, int rows,
      int heads) {
    return new TensorView(ElementType.F32, buffers.get(v.buffer()), v.offset() + first * v.sequence() * Float.BYTES,
        new Layout(IntTuple.flat(p.sizes().batch(), rows, heads), IntTuple.flat(v.batch(), v.sequence(), v.head())));
  }
}
