package tilewright.layout.expression;

import java.util.List;
import tilewright.layout.morphism.Refinement;

/** Tuples that split others' integers into products. */
final class RefinementOperations {
  static final List<Operation> LIST = List.of(
      new Operation("refines", "a, b", "whether a splits integers of b into products",
          o -> Results.of(Refinement.refines(o.shape(0), o.shape(1)))),
      new Operation("common_refinement", "a, b", "the coarsest tuple that refines both",
          o -> Results.of(Refinement.tryCommonRefinement(o.shape(0), o.shape(1)).orElseThrow())),
      new Operation("common_coarsening", "a, b", "the finest tuple that both refine",
          o -> Results.of(Refinement.tryCommonCoarsening(o.shape(0), o.shape(1)).orElseThrow())),
      new Operation("mutual_refinement", "a, b", "refinements of a and b, the first's integers beginning the second's",
          RefinementOperations::mutual));

  private RefinementOperations() {}

  private static Value mutual(Operands o) {
    var mutual = Refinement.tryMutual(o.shape(0), o.shape(1)).orElseThrow();
    return new Value.Sequence(List.of(Results.of(mutual.first()), Results.of(mutual.second())));
  }
}
