package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import tilewright.layout.decision.Decision;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;

/** Morphisms of tuples and the layouts that they realise. A layout stands for its standard form. */
final class MorphismOperations {
  static final List<Operation> LIST = List.of(
      new Operation("morphism", "domain, codomain, positions",
          "each integer of the domain to a position of the codomain, from 1, or 0 for nowhere",
          o -> Results.of(new TupleMorphism(o.tuple(0), o.tuple(1), positions(o)))),
      new Operation("identity_morphism", "tuple", "each integer to itself",
          o -> Results.of(TupleMorphism.identity(o.tuple(0)))),
      new Operation("standard_form", "layout", "the morphism of least codomain that realises the layout",
          o -> Results.of(TupleMorphism.tryStandardForm(o.layout(0)).orElseThrow())),
      new Operation("realize", "morphism", "the layout whose strides the codomain's prefixes are",
          o -> Results.of(o.morphism(0).layout())),
      unary("flatten_morphism", "the same between flat tuples", TupleMorphism::flatten),
      unary("sort_morphism", "the domain flat and in the order of the layout's strides", TupleMorphism::sort),
      unary("squeeze_morphism", "without integers 1, between flat tuples", TupleMorphism::squeeze),
      new Operation("coalesce_morphism", "f, [coarse]", "neighbours that go to neighbours made one, within coarse",
          o -> Results.of(o.count() == 1 ? o.morphism(0).coalesce()
              : o.morphism(0).tryCoalesceOver(o.tuple(1)).orElseThrow())),
      new Operation("restrict_morphism", "f, place…", "from the integers of the domain at these places only, from 1",
          o -> Results.of(o.morphism(0).restrict(places(o)))),
      new Operation("factorize_morphism", "f, place…", "to the integers of the codomain at these places only, from 1",
          o -> Results.of(o.morphism(0).tryFactorization(places(o)).orElseThrow())),
      new Operation("complement_morphism", "f", "from the integers of the codomain that are no image",
          o -> Results.of(o.morphism(0).tryComplement().orElseThrow())),
      new Operation("sum_morphisms", "f, g", "f ⊕ g, side by side", o ->
          Results.of(o.morphism(0).sum(o.morphism(1)))),
      binary("concat_morphisms", "f, g", "(f, g) to one codomain, of images that share nothing",
          TupleMorphism::tryConcatenation),
      binary("compose_morphisms", "outer, inner", "outer ∘ inner where the inner codomain is the outer domain",
          TupleMorphism::tryComposition),
      binary("weak_composite", "outer, inner", "outer ∘ inner after a mutual refinement of what is between",
          TupleMorphism::tryWeakComposition),
      binary("divide_morphisms", "f, tile", "f ∘ (tile, complement of tile)", TupleMorphism::tryLogicalDivide),
      binary("multiply_morphisms", "f, tiles", "(f, complement of f ∘ tiles)", TupleMorphism::tryLogicalProduct),
      along("pullback", "codomain", "the same function to a refinement of the codomain", TupleMorphism::tryPullback),
      along("pushforward", "domain", "the same function from a refinement of the domain",
          TupleMorphism::tryPushforward));

  private MorphismOperations() {}

  private static Operation unary(String name, String description, UnaryOperator<TupleMorphism> rule) {
    return new Operation(name, "f", description, o -> Results.of(rule.apply(o.morphism(0))));
  }

  private static Operation binary(String name, String operands, String description,
      BiFunction<TupleMorphism, TupleMorphism, Decision<TupleMorphism>> rule) {
    return new Operation(name, operands, description,
        o -> Results.of(rule.apply(o.morphism(0), o.morphism(1)).orElseThrow()));
  }

  private static Operation along(String name, String refined, String description,
      BiFunction<TupleMorphism, IntTuple, Decision<TupleMorphism>> rule) {
    return new Operation(name, "f, " + refined, description,
        o -> Results.of(rule.apply(o.morphism(0), o.tuple(1)).orElseThrow()));
  }

  private static List<Integer> places(Operands o) {
    var places = new ArrayList<Integer>();
    for (int i = 1; i < o.count(); i++) places.add(o.index(i));
    return places;
  }

  private static List<Integer> positions(Operands o) {
    return Literals.positions(o.tuple(2)).orElseThrow(() -> o.mismatch(2, "positions from 0 on"));
  }
}
