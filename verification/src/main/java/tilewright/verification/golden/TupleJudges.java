package tilewright.verification.golden;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import tilewright.layout.Layout;
import tilewright.layout.ShapeDivision;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;
import tilewright.layout.tuple.TupleArithmetic;
import tilewright.layout.tuple.TupleOrder;

/** Arithmetic, orders and slices of integer tuples: ours is the record's in print. */
final class TupleJudges {
  private TupleJudges() {}

  static Map<String, Judge> all() {
    return Map.ofEntries(
        Map.entry("int_flatten", of(a -> IntTuple.flat(a.flatten()))),
        Map.entry("int_product", of(IntTuple::size)),
        Map.entry("int_tuple_max", TupleJudges::max),
        Map.entry("int_inner_product", of(TupleArithmetic::innerProduct)),
        Map.entry("int_elem_scale", of(TupleArithmetic::elemScale)),
        Map.entry("int_shape_div", of((a, b) -> ShapeDivision.of(a, b).orElseThrow())),
        Map.entry("int_prefix_product", TupleJudges::prefixProduct),
        Map.entry("ceil_div", of(TupleArithmetic::ceilDiv)),
        Map.entry("round_up", of(TupleArithmetic::roundUp)),
        Map.entry("ceil_div_layout", TupleJudges::ceilDivByLayout),
        Map.entry("congruent", holds(IntTuple::isCongruentTo)),
        Map.entry("weakly_congruent", holds(IntTuple::isWeaklyCongruentTo)),
        Map.entry("compatible", holds(IntTuple::isCompatibleWith)),
        Map.entry("evenly_divides", holds(TupleArithmetic::evenlyDivides)),
        Map.entry("elem_less", holds(TupleOrder::elemLess)),
        Map.entry("elem_leq", TupleJudges::elementwiseAtMost),
        Map.entry("lex_less", holds(TupleOrder::lexLess)),
        Map.entry("colex_less", holds(TupleOrder::colexLess)),
        Map.entry("slice_", TupleJudges::slice));
  }

  private static Judge of(Function<IntTuple, Object> operation) {
    return golden -> {
      var a = golden.tuple("a");
      return EvaluationJudges.exact(golden, Answer.of(() -> operation.apply(a)));
    };
  }

  private static Judge of(BiFunction<IntTuple, IntTuple, Object> operation) {
    return golden -> {
      var a = golden.tuple("a");
      var b = golden.tuple("b");
      return EvaluationJudges.exact(golden, Answer.of(() -> operation.apply(a, b)));
    };
  }

  private static Judge holds(BiPredicate<IntTuple, IntTuple> relation) {
    return of((a, b) -> relation.test(a, b) ? 1 : 0);
  }

  /** The greatest integer if there is one; pycute refuses where only some element is empty. */
  private static Judgement max(GoldenRecord golden) {
    var a = golden.tuple("a");
    var ours = Answer.of(() -> TupleArithmetic.max(a));
    var greatest = a.leaves().max();
    if (greatest.isEmpty()) return EvaluationJudges.exact(golden, ours);
    return Judgement.equal(golden.raises() ? greatest.getAsLong() : golden.expected(), ours);
  }

  /** CuTe's elem_leq(a, b) is the negation of elem_less(b, a); ours holds if every integer is at most the other. */
  private static Judgement elementwiseAtMost(GoldenRecord golden) {
    var a = golden.tuple("a");
    var b = golden.tuple("b");
    boolean ours = TupleOrder.elemLeq(a, b);
    if (ours && TupleOrder.elemLess(b, a)) return Judgement.mismatch("at most, and not less", ours);
    int theirs = TupleOrder.elemLess(b, a) ? 0 : 1;
    if (!golden.expected().equals("" + theirs)) return Judgement.mismatch(golden.expected(), theirs);
    return ours == (theirs == 1) ? Judgement.agreed(ours) : Judgement.dialect(theirs, ours);
  }

  private static Judgement prefixProduct(GoldenRecord golden) {
    var a = golden.tuple("a");
    var initial = golden.tuple("init");
    return EvaluationJudges.exact(golden, Answer.of(() -> TupleArithmetic.prefixProduct(a, initial)));
  }

  private static Judgement ceilDivByLayout(GoldenRecord golden) {
    var target = golden.tuple("target");
    Layout tiler = golden.layout("tiler");
    return EvaluationJudges.exact(golden, Answer.of(() -> ShapeDivision.ceilDiv(target, tiler).orElseThrow()));
  }

  /** pycute wraps what a bare {@code _} leaves into a tuple of one. */
  private static Judgement slice(GoldenRecord golden) {
    var coordinate = SliceCoordinate.parse(golden.argument("crd"));
    var tuple = golden.tuple("trg");
    var ours = Answer.of(() -> coordinate.slice(tuple));
    boolean wrapped = coordinate instanceof SliceCoordinate.Free && !golden.raises()
        && ours.map(IntTuple::of).toString().equals(golden.expected());
    return wrapped ? Judgement.dialect(golden.expected(), ours) : EvaluationJudges.exact(golden, ours);
  }
}
