package tilewright.layout.expression;

import static tilewright.layout.expression.StructureOperations.integer;
import static tilewright.layout.expression.StructureOperations.integers;

import java.util.List;

/** Arithmetic and orders of integer tuples. */
final class TupleOperations {
  static final List<Operation> LIST = List.of(
      new Operation("product", "tuple", "the product of all integers", o -> integer(o.tuple(0).size())),
      new Operation("congruent", "a, b", "whether both are the same tree",
          o -> new Value.Truth(o.tuple(0).isCongruentTo(o.tuple(1)))),
      new Operation("compatible", "a, b", "whether a is a coarsening of b",
          o -> new Value.Truth(o.tuple(0).isCompatibleWith(o.tuple(1)))));

  private TupleOperations() {}
}
