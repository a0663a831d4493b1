package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.layout.Layout;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CoordinateComposition;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.tuple.IntTuple;

/** Layouts whose offsets are coordinates: strides of scaled basis elements. */
final class CoordinateJudges {
  private CoordinateJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "make_identity_layout",
        g -> EvaluationJudges.exact(g, Answer.of(() -> CoordinateLayout.identity(g.tuple("shape")))),
        "composition_basis", CoordinateJudges::named,
        "composition_identity", CoordinateJudges::picked);
  }

  /** A after a layout of coordinates: the offsets in A of the elements that B names. */
  private static Judgement named(GoldenRecord golden) {
    var a = golden.layout("a");
    var b = CoordinateLayout.parse(golden.argument("b"));
    var demanded = Definitions.table(b.size(), i -> offset(a, b.apply(i)));
    var ours = Answer.of(() -> CoordinateComposition.of(a, b).orElseThrow());
    return LayoutVerdict.of(golden, ours, Optional.of(demanded), Layout.columnMajor(b.shape()));
  }

  private static long offset(Layout a, ArithmeticTuple coordinate) {
    return coordinate.terms().stream().mapToLong(term -> {
      var mode = a;
      for (int place : term.place()) mode = mode.mode(place);
      return mode.apply(term.scale());
    }).sum();
  }

  /** The identity after B: the coordinates of the elements that B picks. */
  private static Judgement picked(GoldenRecord golden) {
    var identity = CoordinateLayout.identity(golden.tuple("shape"));
    var b = golden.layout("b");
    var ours = Answer.of(() -> identity.composition(b));
    var picks = Definitions.offsets(b);
    boolean wrong = !golden.raises() && isWrong(CoordinateLayout.parse(golden.expected()), identity, picks);
    if (ours.refuses()) {
      return Definitions.isRealizable(flattened(identity, picks), b)
          ? Judgement.mismatch("a layout, since one exists", ours)
          : Judgement.refused(ours.refusal()).whereOracleIs(wrong);
    }
    var layout = ours.value().orElseThrow();
    boolean right = b.shape().isCompatibleWith(layout.shape()) && LongStream.range(0, b.size())
        .allMatch(i -> layout.apply(i).equals(identity.apply(picks[(int) i])));
    if (!right) return Judgement.mismatch(identity + " ∘ " + b, layout);
    return golden.raises() || wrong || sameFunction(CoordinateLayout.parse(golden.expected()), layout)
        ? Judgement.agreed(layout).whereOracleIs(wrong) : Judgement.mismatch(golden.expected(), layout);
  }

  private static boolean sameFunction(CoordinateLayout a, CoordinateLayout b) {
    return a.size() == b.size() && LongStream.range(0, a.size()).allMatch(i -> a.apply(i).equals(b.apply(i)));
  }

  /** Whether a layout fails at some element that B picks inside the shape. */
  private static boolean isWrong(CoordinateLayout theirs, CoordinateLayout identity, long[] picks) {
    return IntStream.range(0, picks.length).filter(i -> picks[i] < identity.size())
        .anyMatch(i -> !theirs.apply(i).equals(identity.apply(picks[i])));
  }

  /** Coordinates as numbers in a base that none of their sums reaches, so that both are linear together or not. */
  private static long[] flattened(CoordinateLayout identity, long[] picks) {
    long[] extents = identity.shape().flatten();
    var strides = new long[extents.length];
    Arrays.setAll(strides, i -> 1L << 15 * i);
    long largest = Arrays.stream(picks).max().orElse(0);
    if (largest >= 1 << 12 || extents.length > 4) throw new IllegalArgumentException("coordinates too large to encode");
    var encoding = Layout.of(IntTuple.flat(extents), IntTuple.flat(strides));
    return Arrays.stream(picks).map(encoding::apply).toArray();
  }
}
