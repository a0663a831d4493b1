package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Morphisms from or to some integers of a tuple, or all of them in another order. Places count from 1. */
final class Subtuples {
  private Subtuples() {}

  static TupleMorphism restrict(TupleMorphism f, List<Integer> places) {
    requireIncreasing(places, f.domain());
    return from(f, places);
  }

  static TupleMorphism sort(TupleMorphism f) {
    long[] extents = f.domain().flatten();
    var places = new ArrayList<>(IntStream.rangeClosed(1, extents.length).boxed().toList());
    places.sort(Comparator.<Integer>comparingInt(place -> f.map().get(place - 1))
        .thenComparingLong(place -> extents[place - 1]));
    return from(f, places);
  }

  static TupleMorphism squeeze(TupleMorphism f) {
    return onto(from(f, otherThanOne(f.domain())), otherThanOne(f.codomain()));
  }

  static Decision<TupleMorphism> factorize(TupleMorphism f, List<Integer> places) {
    requireIncreasing(places, f.codomain());
    var operation = "factorisation of " + f + " through " + MorphismNotation.positions(places);
    for (int i = 0; i < f.map().size(); i++) {
      int position = f.map().get(i);
      if (position != 0 && !places.contains(position)) {
        return Reasons.undefined(operation, "the image lies in the given places", i, position + " is none of them");
      }
    }
    var result = onto(f, places);
    var inclusion = new TupleMorphism(result.codomain(), f.codomain(), places);
    return new Decision.Defined<>(result, new PathCertificate(List.of(result, inclusion), f));
  }

  private static TupleMorphism from(TupleMorphism f, List<Integer> places) {
    return new TupleMorphism(select(f.domain(), places), f.codomain(),
        places.stream().map(place -> f.map().get(place - 1)).toList());
  }

  private static TupleMorphism onto(TupleMorphism f, List<Integer> places) {
    return new TupleMorphism(f.domain(), select(f.codomain(), places),
        f.map().stream().map(position -> position == 0 ? 0 : 1 + places.indexOf(position)).toList());
  }

  private static IntTuple select(IntTuple tuple, List<Integer> places) {
    long[] extents = tuple.flatten();
    return Trees.flat(places.stream().map(place -> extents[place - 1]).toList());
  }

  private static List<Integer> otherThanOne(IntTuple tuple) {
    long[] extents = tuple.flatten();
    return IntStream.rangeClosed(1, extents.length).filter(place -> extents[place - 1] != 1).boxed().toList();
  }

  private static void requireIncreasing(List<Integer> places, IntTuple tuple) {
    int before = 0;
    int last = Trees.length(tuple);
    for (int place : places) {
      if (place <= before || place > last) {
        throw new IllegalArgumentException("places " + MorphismNotation.positions(places) + " in " + tuple
            + " must increase, from 1 to at most " + last);
      }
      before = place;
    }
  }
}
