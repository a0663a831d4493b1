package tilewright.verification.golden;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.morphism.Refinement;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;
import tools.jackson.databind.JsonNode;

/** Tuple morphisms, as tract has them; a morphism must realise the record's layout too. */
final class MorphismJudges {
  private MorphismJudges() {}

  static Map<String, Judge> all() {
    return Map.ofEntries(
        Map.entry("tract_layout", MorphismJudges::realisation),
        Map.entry("tract_coalesce", one(TupleMorphism::coalesce)),
        Map.entry("tract_complement", one(f -> f.tryComplement().orElseThrow())),
        Map.entry("tract_compose", two((f, g) -> g.tryComposition(f))),
        Map.entry("tract_logical_divide", two(TupleMorphism::tryLogicalDivide)),
        Map.entry("tract_logical_product", two(TupleMorphism::tryLogicalProduct)),
        Map.entry("tract_pullback", refined(TupleMorphism::tryPullback)),
        Map.entry("tract_pushforward", refined(TupleMorphism::tryPushforward)),
        Map.entry("tract_mutual_refinement", MorphismJudges::mutualRefinement),
        Map.entry("tract_refines", MorphismJudges::refines),
        Map.entry("tract_standard_form", MorphismJudges::standardForm),
        Map.entry("tract_weak_composite", MorphismJudges::weakComposite));
  }

  private static Judge one(Function<TupleMorphism, TupleMorphism> operation) {
    return golden -> {
      var f = morphism(golden.json().get("args"));
      return judge(golden, Answer.of(() -> operation.apply(f)));
    };
  }

  private static Judge two(BiFunction<TupleMorphism, TupleMorphism, Decision<TupleMorphism>> operation) {
    return golden -> {
      var f = morphism(golden.node("f"));
      var g = morphism(golden.node("g"));
      return judge(golden, Answer.of(() -> operation.apply(f, g).orElseThrow()));
    };
  }

  private static Judge refined(BiFunction<TupleMorphism, IntTuple, Decision<TupleMorphism>> operation) {
    return golden -> {
      var f = morphism(golden.node("f"));
      var refinement = golden.tuple("refinement");
      return judge(golden, Answer.of(() -> operation.apply(f, refinement).orElseThrow()));
    };
  }

  private static TupleMorphism morphism(JsonNode node) {
    var map = node.get("map").valueStream().map(JsonNode::asInt).toList();
    return new TupleMorphism(IntTuple.parse(node.get("domain").asString()),
        IntTuple.parse(node.get("codomain").asString()), map);
  }

  private static Judgement judge(GoldenRecord golden, Answer<TupleMorphism> ours) {
    if (golden.raises()) {
      return ours.refuses() ? Judgement.refused(ours.refusal()) : Judgement.mismatch("a refusal", ours);
    }
    var expected = morphism(golden.json().get("expect"));
    if (!Optional.of(expected).equals(ours.value())) return Judgement.mismatch(expected, ours);
    var layout = golden.text("layout").map(Layout::parse);
    return layout.isEmpty() || layout.get().equals(expected.layout()) ? Judgement.agreed(expected)
        : Judgement.mismatch(layout.get(), expected.layout());
  }

  private static Judgement realisation(GoldenRecord golden) {
    var f = morphism(golden.json().get("args"));
    if (!golden.truth().map(t -> Arrays.equals(t, Definitions.offsets(f.layout()))).orElse(true)) {
      return Judgement.mismatch("the listed offsets", f.layout());
    }
    // tract's own flag 'coalesced' overlooks neighbours of stride 0, which its coalesce does merge.
    var expected = List.of(golden.expected(), golden.json().get("cosize_morphism").asLong(),
        golden.says("complementable"), Definitions.isCoalesced(f.layout()), golden.says("sorted"));
    return Judgement.equal(expected,
        List.of(f.layout().toString(), f.cosize(), f.isTotal(), f.isCoalesced(), f.isSorted()));
  }

  private static Judgement mutualRefinement(GoldenRecord golden) {
    var ours = Answer.of(() -> Refinement.tryMutual(golden.tuple("T"), golden.tuple("U")).orElseThrow());
    if (golden.raises()) {
      return ours.refuses() ? Judgement.refused(ours.refusal()) : Judgement.mismatch("a refusal", ours);
    }
    var expected = golden.json().get("expect");
    return Judgement.equal(expected.get("Tp").asString() + " " + expected.get("Up").asString(),
        ours.map(m -> m.first() + " " + m.second()));
  }

  /** tract calls 2 a refinement of (2) and recurses for ever on unequal integers; the definition says no to both. */
  private static Judgement refines(GoldenRecord golden) {
    return Judgement.equal(golden.says("spec_refines"), Refinement.refines(golden.tuple("S"), golden.tuple("T")));
  }

  private static Judgement standardForm(GoldenRecord golden) {
    var layout = golden.layout("layout");
    return judge(golden, Answer.of(() -> TupleMorphism.tryStandardForm(layout).orElseThrow()));
  }

  /** Where no mutual refinement mediates, the composition of the layouts may still exist, and must be found. */
  private static Judgement weakComposite(GoldenRecord golden) {
    var f = morphism(golden.node("f"));
    var g = morphism(golden.node("g"));
    var ours = Answer.of(() -> g.tryWeakComposition(f).orElseThrow());
    if (!golden.raises()) return judge(golden, ours);
    var layouts = Answer.of(() -> g.layout().composition(f.layout()));
    if (!ours.refuses()) return Judgement.mismatch("a refusal", ours);
    if (!golden.says("realizable")) {
      return layouts.refuses() ? Judgement.refused(ours.refusal()) : Judgement.mismatch("a refusal", layouts);
    }
    var canon = Layout.parse(golden.text("canon").orElseThrow());
    return layouts.value().filter(l -> LayoutVerdict.sameFunction(l, canon)).isPresent() ? Judgement.agreed(canon)
        : Judgement.mismatch(canon, layouts);
  }
}
