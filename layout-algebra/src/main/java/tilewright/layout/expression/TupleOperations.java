package tilewright.layout.expression;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import tilewright.layout.ShapeDivision;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;
import tilewright.layout.tuple.TupleOrder;

/** Arithmetic, coordinates and orders of integer tuples. */
final class TupleOperations {
  static final List<Operation> ARITHMETIC = List.of(
      number("product", "the product of all integers", IntTuple::size),
      number("sum", "the sum of all integers", TupleArithmetic::sum),
      number("max", "the greatest integer", TupleArithmetic::max),
      number("min", "the least integer", TupleArithmetic::min),
      number("gcd", "the greatest common divisor", TupleArithmetic::gcd),
      tuple("product_each", "tuple", "the product of each mode", o -> TupleArithmetic.productEach(o.tuple(0))),
      tuple("product_like", "tuple, guide", "the product at each integer of the guide",
          o -> TupleArithmetic.productLike(o.tuple(0), o.tuple(1))),
      tuple("prefix_product", "tuple, [initial]", "the product of all before it, at each integer",
          o -> TupleArithmetic.prefixProduct(o.tuple(0), o.or(1, o::tuple, IntTuple.of(1)))),
      tuple("suffix_product", "tuple, [initial]", "the product of all behind it, at each integer",
          o -> TupleArithmetic.suffixProduct(o.tuple(0), o.or(1, o::tuple, IntTuple.of(1)))),
      tuple("repeat_like", "guide, value", "the value at each integer of the guide",
          o -> o.tuple(0).repeatLike(o.integer(1))),
      new Operation("inner_product", "a, b", "the sum of the products",
          o -> Results.of(TupleArithmetic.innerProduct(o.tuple(0), o.tuple(1)))),
      tuple("shape_div", "a, b", "a divided by b from the left, b's factors carried on",
          o -> ShapeDivision.of(o.tuple(0), o.tuple(1)).orElseThrow()),
      new Operation("ceil_div", "a, b", "a divided by b, rounded up; of a shape by a layout, how many tiles cover it",
          o -> Results.of(o.isIntegers(1) ? TupleArithmetic.ceilDiv(o.tuple(0), o.tuple(1))
              : ShapeDivision.ceilDiv(o.tuple(0), o.layout(1)).orElseThrow())),
      tuple("round_up", "a, b", "the next multiple of b", o -> TupleArithmetic.roundUp(o.tuple(0), o.tuple(1))),
      tuple("elem_scale", "a, b", "a times the size of b's modes",
          o -> TupleArithmetic.elemScale(o.tuple(0), o.tuple(1))),
      new Operation("crd2idx", "coordinate, shape, [stride]", "the index, or the offset if strides are given",
          o -> Results.of(o.count() == 2 ? Coordinates.index(o.tuple(0), o.shape(1))
              : Coordinates.offset(o.tuple(0), o.shape(1), o.tuple(2)))),
      tuple("idx2crd", "index, shape, [stride]", "the coordinate of an index, or of an offset if strides are given",
          o -> o.count() == 2 ? Coordinates.of(o.tuple(0), o.shape(1))
              : Coordinates.ofOffset(o.integer(0), o.shape(1), o.tuple(2))),
      tuple("crd2crd", "coordinate, from, to", "the coordinate of another shape with the same index",
          o -> Coordinates.convert(o.tuple(0), o.shape(1), o.shape(2))),
      tuple("increment", "coordinate, shape", "the next coordinate",
          o -> Coordinates.successor(o.tuple(0), o.shape(1))));

  static final List<Operation> ORDERS = List.of(
      relation("congruent", "whether both are the same tree", IntTuple::isCongruentTo),
      relation("weakly_congruent", "whether a is b's tree cut off somewhere", IntTuple::isWeaklyCongruentTo),
      relation("compatible", "whether a is a coarsening of b", IntTuple::isCompatibleWith),
      relation("evenly_divides", "whether b divides a without a rest", TupleArithmetic::evenlyDivides),
      relation("elem_less", "whether each integer of a is less than that of b", TupleOrder::elemLess),
      relation("elem_leq", "less or equal", TupleOrder::elemLeq),
      relation("elem_gtr", "greater", TupleOrder::elemGtr),
      relation("elem_geq", "greater or equal", TupleOrder::elemGeq),
      relation("lex_less", "whether a is before b, the first integers deciding first", TupleOrder::lexLess),
      relation("lex_leq", "before or equal", TupleOrder::lexLeq),
      relation("lex_gtr", "behind", TupleOrder::lexGtr),
      relation("lex_geq", "behind or equal", TupleOrder::lexGeq),
      relation("colex_less", "whether a is before b, the last integers deciding first", TupleOrder::colexLess),
      relation("colex_leq", "before or equal", TupleOrder::colexLeq),
      relation("colex_gtr", "behind", TupleOrder::colexGtr),
      relation("colex_geq", "behind or equal", TupleOrder::colexGeq));

  private TupleOperations() {}

  private static Operation number(String name, String description, ToLongFunction<IntTuple> rule) {
    return new Operation(name, "tuple", description, o -> Results.of(rule.applyAsLong(o.tuple(0))));
  }

  private static Operation tuple(String name, String operands, String description, Function<Operands, IntTuple> rule) {
    return new Operation(name, operands, description, o -> Results.of(rule.apply(o)));
  }

  private static Operation relation(String name, String description, BiPredicate<IntTuple, IntTuple> rule) {
    return new Operation(name, "a, b", description, o -> Results.of(rule.test(o.shapeOf(0), o.shapeOf(1))));
  }
}
