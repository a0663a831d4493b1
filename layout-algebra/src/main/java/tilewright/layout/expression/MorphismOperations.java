package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import tilewright.layout.Decision;
import tilewright.layout.morphism.TupleMorphism;

/** Morphisms of tuples and the layouts that they realise. A layout stands for its standard form. */
final class MorphismOperations {
  static final List<Operation> LIST = List.of(
      new Operation("morphism", "domain, codomain, positions",
          "each integer of the domain to a position of the codomain, from 1, or 0 for nowhere",
          o -> Results.of(new TupleMorphism(o.tuple(0), o.tuple(1), positions(o)))),
      new Operation("standard_form", "layout", "the morphism of least codomain that realises the layout",
          o -> Results.of(TupleMorphism.tryStandardForm(o.layout(0)).orElseThrow())),
      new Operation("realize", "morphism", "the layout whose strides the codomain's prefixes are",
          o -> Results.of(o.morphism(0).layout())),
      binary("compose_morphisms", "outer, inner", "outer ∘ inner where the inner codomain is the outer domain",
          TupleMorphism::tryComposition),
      binary("weak_composite", "outer, inner", "outer ∘ inner after a mutual refinement of what is between",
          TupleMorphism::tryWeakComposition),
      new Operation("sum_morphisms", "f, g", "f ⊕ g, side by side", o ->
          Results.of(o.morphism(0).sum(o.morphism(1)))),
      new Operation("complement_morphism", "f", "from the integers of the codomain that are no image",
          o -> Results.of(o.morphism(0).tryComplement().orElseThrow())),
      new Operation("coalesce_morphism", "f", "neighbours that go to neighbours made one",
          o -> Results.of(o.morphism(0).coalesce())),
      binary("divide_morphisms", "f, tile", "f ∘ (tile, complement of tile)", TupleMorphism::tryLogicalDivide),
      binary("multiply_morphisms", "f, tiles", "(f, complement of f ∘ tiles)", TupleMorphism::tryLogicalProduct));

  private MorphismOperations() {}

  private static Operation binary(String name, String operands, String description,
      BiFunction<TupleMorphism, TupleMorphism, Decision<TupleMorphism>> rule) {
    return new Operation(name, operands, description,
        o -> Results.of(rule.apply(o.morphism(0), o.morphism(1)).orElseThrow()));
  }

  private static List<Integer> positions(Operands o) {
    var positions = new ArrayList<Integer>();
    for (long position : o.tuple(2).flatten()) {
      if (position < 0 || position > Integer.MAX_VALUE) throw o.mismatch(2, "positions from 0 on");
      positions.add((int) position);
    }
    return positions;
  }
}
