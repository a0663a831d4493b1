package tilewright.verification.golden;

import java.util.Map;
import java.util.function.BiPredicate;
import tilewright.layout.IntTuple;

/** Arithmetic and orders of integer tuples. */
final class TupleJudges {
  private TupleJudges() {}

  static Map<String, Judge> all() {
    return Map.ofEntries(
        Map.entry("int_flatten", g -> EvaluationJudges.exact(g, Answer.of(() -> IntTuple.flat(a(g).flatten())))),
        Map.entry("int_product", g -> EvaluationJudges.exact(g, Answer.of(() -> a(g).size()))),
        Map.entry("congruent", holds(IntTuple::isCongruentTo)),
        Map.entry("compatible", holds(IntTuple::isCompatibleWith)));
  }

  private static IntTuple a(GoldenRecord golden) {
    return golden.tuple("a");
  }

  private static Judge holds(BiPredicate<IntTuple, IntTuple> relation) {
    return golden -> {
      var ours = Answer.of(() -> relation.test(a(golden), golden.tuple("b")) ? 1 : 0);
      return EvaluationJudges.exact(golden, ours);
    };
  }
}
