package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Morphisms carried along refinements of their domain or codomain, and what that makes composable. */
final class Refining {
  private Refining() {}

  static Decision<TupleMorphism> pullback(TupleMorphism f, IntTuple codomain) {
    var fault = Refinement.fault(codomain, f.codomain());
    if (fault.isPresent()) {
      return Reasons.undefined("pullback of " + f + " along " + codomain, "the tuple refines the codomain",
          fault.get());
    }
    var parts = Refinement.parts(f.codomain(), codomain);
    long[] extents = f.domain().flatten();
    var modes = IntStream.range(0, extents.length)
        .mapToObj(i -> f.map().get(i) == 0 ? IntTuple.of(extents[i]) : parts.get(f.map().get(i) - 1)).toList();
    return defined(f, Trees.substitute(f.domain(), modes), modes, codomain, parts);
  }

  static Decision<TupleMorphism> pushforward(TupleMorphism f, IntTuple domain) {
    var fault = Refinement.fault(domain, f.domain());
    if (fault.isPresent()) {
      return Reasons.undefined("pushforward of " + f + " along " + domain, "the tuple refines the domain", fault.get());
    }
    var modes = Refinement.parts(f.domain(), domain);
    var parts = new ArrayList<IntTuple>();
    for (long extent : f.codomain().flatten()) parts.add(IntTuple.of(extent));
    for (int i = 0; i < modes.size(); i++) {
      if (f.map().get(i) != 0) parts.set(f.map().get(i) - 1, modes.get(i));
    }
    return defined(f, domain, modes, Trees.substitute(f.codomain(), parts), parts);
  }

  /** Each integer's part goes, in order, to the part at its position. */
  private static Decision<TupleMorphism> defined(TupleMorphism f, IntTuple domain, List<IntTuple> modes,
      IntTuple codomain, List<IntTuple> parts) {
    int[] before = new int[parts.size() + 1];
    for (int p = 1; p <= parts.size(); p++) before[p] = before[p - 1] + Trees.length(parts.get(p - 1));
    var map = new ArrayList<Integer>();
    for (int i = 0; i < modes.size(); i++) {
      int position = f.map().get(i);
      for (int k = 1; k <= Trees.length(modes.get(i)); k++) map.add(position == 0 ? 0 : before[position - 1] + k);
    }
    var result = new TupleMorphism(domain, codomain, map);
    return new Decision.Defined<>(result, new SameFunctionCertificate(f.domain(), f, result));
  }

  static Decision<TupleMorphism> weakComposition(TupleMorphism outer, TupleMorphism inner) {
    return switch (Refinement.tryMutual(inner.codomain(), outer.domain())) {
      case Decision.Undefined<Refinement.Mutual> none ->
          Reasons.because(none, "weak composition of " + outer + " after " + inner);
      case Decision.Defined<Refinement.Mutual> mutual -> {
        var first = pullback(inner, mutual.result().first()).orElseThrow();
        var second = pushforward(outer, mutual.result().second()).orElseThrow();
        var result = Combination.composed(second, first);
        yield new Decision.Defined<>(result, new PathCertificate(List.of(first, second), result));
      }
    };
  }

  static Decision<TupleMorphism> coalesceOver(TupleMorphism f, IntTuple coarse) {
    var fault = Refinement.fault(f.domain(), coarse);
    if (fault.isPresent()) {
      return Reasons.undefined("coalescing " + f + " over " + coarse, "the domain refines the tuple", fault.get());
    }
    var result = Coalescence.over(f, coarse, Refinement.parts(coarse, f.domain()));
    return new Decision.Defined<>(result, new SameFunctionCertificate(coarse, f, result));
  }
}
