package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Operations on two morphisms, and the complement, which fit together or do not. */
final class Combination {
  private Combination() {}

  static Decision<TupleMorphism> composition(TupleMorphism outer, TupleMorphism inner) {
    if (!inner.codomain().equals(outer.domain())) {
      return Reasons.undefined("(" + outer + ") ∘ (" + inner + ")",
          "the inner codomain is the outer domain (the weak composition refines both)",
          inner.codomain() + " is not " + outer.domain());
    }
    var result = composed(outer, inner);
    return new Decision.Defined<>(result, new PathCertificate(List.of(inner, outer), result));
  }

  /** Position by position, also where the outer domain goes on after the inner codomain. */
  static TupleMorphism composed(TupleMorphism outer, TupleMorphism inner) {
    return new TupleMorphism(inner.domain(), outer.codomain(),
        inner.map().stream().map(position -> position == 0 ? 0 : outer.map().get(position - 1)).toList());
  }

  static Decision<TupleMorphism> concatenation(TupleMorphism first, TupleMorphism second) {
    var operation = "concatenation of " + first + " and " + second;
    if (!first.codomain().equals(second.codomain())) {
      return Reasons.undefined(operation, "both have one codomain", first.codomain() + " is not " + second.codomain());
    }
    for (int i = 0; i < second.map().size(); i++) {
      int position = second.map().get(i);
      if (position != 0 && first.map().contains(position)) {
        return Reasons.undefined(operation, "the images are disjoint", i,
            "position " + position + " of the second is the first's too");
      }
    }
    return new Decision.Defined<>(concatenated(first, second), new DisjointCertificate(first, second, false));
  }

  private static TupleMorphism concatenated(TupleMorphism first, TupleMorphism second) {
    var map = new ArrayList<>(first.map());
    map.addAll(second.map());
    return new TupleMorphism(IntTuple.of(first.domain(), second.domain()), first.codomain(), map);
  }

  static Decision<TupleMorphism> complement(TupleMorphism f) {
    if (!f.isTotal()) {
      int mode = f.map().indexOf(0);
      return Reasons.undefined("complement of " + f, "every integer of the domain has a position", mode,
          "extent " + f.domain().flatten()[mode] + " has none");
    }
    var result = rest(f);
    return new Decision.Defined<>(result, new DisjointCertificate(f, result, true));
  }

  private static TupleMorphism rest(TupleMorphism f) {
    long[] extents = f.codomain().flatten();
    var positions = IntStream.rangeClosed(1, extents.length).filter(p -> !f.map().contains(p)).boxed().toList();
    return new TupleMorphism(Trees.flat(positions.stream().map(p -> extents[p - 1]).toList()), f.codomain(), positions);
  }

  static Decision<TupleMorphism> logicalDivide(TupleMorphism f, TupleMorphism tile) {
    var operation = "(" + f + ") ⊘ (" + tile + ")";
    if (complement(tile) instanceof Decision.Undefined<TupleMorphism> none) return Reasons.because(none, operation);
    if (!tile.codomain().equals(f.domain())) {
      return Reasons.undefined(operation, "the tile's codomain is the domain of what is divided",
          tile.codomain() + " is not " + f.domain());
    }
    var both = concatenated(tile, rest(tile));
    var result = composed(f, both);
    return new Decision.Defined<>(result, new PathCertificate(List.of(both, f), result));
  }

  static Decision<TupleMorphism> logicalProduct(TupleMorphism f, TupleMorphism tiles) {
    var operation = "(" + f + ") ⊗ (" + tiles + ")";
    if (complement(f) instanceof Decision.Undefined<TupleMorphism> none) return Reasons.because(none, operation);
    var rest = rest(f);
    if (!tiles.codomain().equals(rest.domain())) {
      return Reasons.undefined(operation, "the second's codomain is the domain of the first's complement",
          tiles.codomain() + " is not " + rest.domain());
    }
    var result = concatenated(f, composed(rest, tiles));
    var path = List.of(TupleMorphism.identity(f.domain()).sum(tiles), concatenated(f, rest));
    return new Decision.Defined<>(result, new PathCertificate(path, result));
  }
}
