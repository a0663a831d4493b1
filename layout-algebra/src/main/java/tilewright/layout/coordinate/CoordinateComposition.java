package tilewright.layout.coordinate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tilewright.layout.Composition;
import tilewright.layout.Layout;
import tilewright.layout.Synthesis;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/**
 * Composition with basis strides. Different places of a coordinate do not interact, so each place is a composition of
 * integer layouts, decided there; what is left is one shape for all places.
 */
public final class CoordinateComposition {
  private static final long LARGEST_TABLE = 1 << 24;

  private CoordinateComposition() {}

  /** R with R(i) = outer(inner(i)): the coordinates at the indices that an integer layout picks. */
  public static Decision<CoordinateLayout> of(CoordinateLayout outer, Layout inner) {
    var outers = outer.components();
    var inners = new LinkedHashMap<List<Integer>, Layout>();
    outers.keySet().forEach(place -> inners.put(place, inner));
    return parts(outer + " ∘ " + inner, inner.shape(), outers, inners);
  }

  /** The offsets of the coordinates that {@code inner} names: A ∘ (n : c·E⟨i⟩) is (mode i of A) ∘ (n : c). */
  public static Decision<Layout> of(Layout outer, CoordinateLayout inner) {
    var operation = outer + " ∘ " + inner;
    var inners = inner.components();
    var outers = new TreeMap<List<Integer>, Layout>(ArithmeticTuple.BY_PLACE);
    for (var place : inners.keySet()) {
      var at = outer;
      for (int index : place) {
        if (index >= at.rank()) {
          return Decision.Undefined.of(operation, "every place of a coordinate is a mode of the left operand",
              "there is no mode " + index + " in " + at);
        }
        at = at.mode(index);
      }
      outers.put(place, at);
    }
    return switch (parts(operation, inner.shape(), outers, inners)) {
      case Decision.Defined<CoordinateLayout> defined ->
          new Decision.Defined<>(added(defined.result()), defined.certificate());
      case Decision.Undefined<CoordinateLayout> undefined -> {
        boolean onePlace = inner.strides().stream().allMatch(stride -> stride.terms().size() <= 1);
        // Only a stride of several places lets what one place breaks be mended by another.
        yield onePlace || inner.size() > LARGEST_TABLE
            ? undefined.as(operation)
            : Synthesis.refining(operation, inner.shape(), i -> sum(outers, inners, i));
      }
    };
  }

  private static Decision<CoordinateLayout> parts(String operation, IntTuple shape, Map<List<Integer>, Layout> outers,
      Map<List<Integer>, Layout> inners) {
    var parts = new TreeMap<List<Integer>, Layout>(ArithmeticTuple.BY_PLACE);
    var certificates = new ArrayList<Certificate>();
    for (var place : outers.keySet()) {
      switch (Composition.of(outers.get(place), inners.get(place))) {
        case Decision.Undefined<Layout> undefined -> {
          return undefined.as(operation);
        }
        case Decision.Defined<Layout> defined -> {
          parts.put(place, defined.result());
          certificates.add(defined.certificate());
        }
      }
    }
    return CommonRefinement.of(operation, shape, parts, new ByModeCertificate(certificates));
  }

  private static long sum(Map<List<Integer>, Layout> outers, Map<List<Integer>, Layout> inners, long index) {
    return outers.keySet().stream().map(place -> outers.get(place).apply(inners.get(place).apply(index)))
        .reduce(0L, Math::addExact);
  }

  private static Layout added(CoordinateLayout parts) {
    long[] strides = parts.strides().stream()
        .mapToLong(s -> s.terms().stream().mapToLong(ArithmeticTuple.Term::scale).reduce(0, Math::addExact)).toArray();
    return new Layout(parts.shape(), IntTuple.flat(strides).unflatten(parts.shape()));
  }
}
