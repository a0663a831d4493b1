package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import tilewright.layout.Casting;
import tilewright.layout.Distribution;
import tilewright.layout.Layout;
import tilewright.layout.Recast;
import tilewright.layout.decision.Decision;

/** Layouts over wider or narrower elements, and how elements gather in vectors. */
final class CastJudges {
  private CastJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "upcast", golden -> cast(golden, (a, n) -> Recast.up(a, n, Casting.EXACT), Recast::up,
            CastJudges::isUpcast),
        "downcast", golden -> cast(golden, (a, n) -> Recast.down(a, n, Casting.EXACT), Recast::down,
            CastJudges::isDowncast),
        "domain_distribute", CastJudges::distribute,
        "max_alignment", g -> EvaluationJudges.exact(g, Answer.of(() -> Distribution.alignment(g.layout("a")))));
  }

  /** Judges a cast: a result of CuTe C++ in which addresses merge is ours only with its loose casting. */
  private static Judgement cast(GoldenRecord golden, BiFunction<Layout, Long, Decision<Layout>> exact, Loose cute,
      Definition definition) {
    var a = golden.layout("a");
    long n = Long.parseLong(golden.argument("n"));
    var ours = Answer.of(() -> exact.apply(a, n).orElseThrow());
    if (golden.raises()) {
      if (ours.refuses()) return Judgement.refused(ours.refusal());
      return definition.holds(a, n, ours.value().orElseThrow()) ? Judgement.agreed(ours)
          : Judgement.mismatch("a refusal", ours);
    }
    var theirs = golden.expectedLayout();
    if (ours.value().isPresent() && !definition.holds(a, n, ours.value().get())) {
      return Judgement.mismatch("addresses of elements", ours);
    }
    if (ours.value().equals(Optional.of(theirs))) return Judgement.agreed(theirs);
    var loose = cute.apply(a, n, Casting.CUTE);
    boolean lossy = !definition.holds(a, n, theirs);
    return lossy && loose.orElseThrow().equals(theirs) ? Judgement.dialect(theirs, ours)
        : Judgement.mismatch(theirs, ours);
  }

  @FunctionalInterface
  private interface Loose {
    Decision<Layout> apply(Layout a, long n, Casting casting);
  }

  @FunctionalInterface
  private interface Definition {
    boolean holds(Layout a, long n, Layout result);
  }

  /** R addresses the vector that each of A's elements lies in, at the element's coordinate counted in vectors. */
  private static boolean isUpcast(Layout a, long n, Layout result) {
    long[] elements = a.flatShape();
    long[] strides = a.flatStride();
    long[] vectors = result.flatShape();
    long[] offsets = Definitions.offsets(a);
    long[] given = Definitions.offsets(result);
    for (int i = 0; i < offsets.length; i++) {
      var coordinate = new long[elements.length];
      long rest = i;
      for (int k = 0; k < elements.length; k++) {
        long width = Math.abs(strides[k]);
        long inVector = width == 0 || elements[k] == 1 ? 1 : Math.ceilDiv(n, width);
        coordinate[k] = rest % elements[k] / inVector;
        rest /= elements[k];
      }
      if (given[(int) Definitions.index(coordinate, vectors)] != Math.floorDiv(offsets[i], n)) return false;
    }
    return sameImage(Arrays.stream(offsets).map(offset -> Math.floorDiv(offset, n)), result);
  }

  /** The n parts of each of A's elements are what R addresses. */
  private static boolean isDowncast(Layout a, long n, Layout result) {
    return sameImage(Arrays.stream(Definitions.offsets(a))
        .flatMap(offset -> LongStream.range(offset * n, offset * n + n)), result);
  }

  private static boolean sameImage(LongStream demanded, Layout result) {
    return Arrays.equals(demanded.distinct().sorted().toArray(),
        Arrays.stream(Definitions.offsets(result)).distinct().sorted().toArray());
  }

  /** Judges a distribution: at most n coordinates, each in the shape, no two the same. */
  private static Judgement distribute(GoldenRecord golden) {
    var shape = golden.tuple("shape");
    var ours = Distribution.of(shape, Long.parseLong(golden.argument("n")));
    boolean inside = Arrays.stream(Definitions.offsets(ours)).allMatch(index -> index < shape.size());
    return inside && Definitions.isInjective(ours) && LayoutVerdict.sameFunction(golden.expectedLayout(), ours)
        ? Judgement.agreed(ours) : Judgement.mismatch(golden.expected(), ours);
  }
}
