package tilewright.layout;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Composition with basis strides. Different places of a coordinate do not interact, so each place is a composition of
 * integer layouts, decided there; what is left is one shape for all places.
 */
final class CoordinateComposition {
  private CoordinateComposition() {}

  /** Coordinates of what an integer layout picks. */
  static Decision<CoordinateLayout> of(CoordinateLayout outer, Layout inner) {
    var operation = outer + " ∘ " + inner;
    var parts = new LinkedHashMap<List<Integer>, Layout>();
    var certificates = new ArrayList<Certificate>();
    for (var component : outer.components().entrySet()) {
      switch (component.getValue().tryComposition(inner)) {
        case Decision.Undefined<Layout> undefined -> {
          return undefined.as(operation);
        }
        case Decision.Defined<Layout> defined -> {
          parts.put(component.getKey(), defined.result());
          certificates.add(defined.certificate());
        }
      }
    }
    return CommonRefinement.of(operation, inner.shape(), parts, new ByModeCertificate(certificates));
  }

  /** Offsets of what a coordinate layout names: A ∘ (n : c·E⟨i⟩) is (mode i of A) ∘ (n : c). */
  static Decision<Layout> of(Layout outer, CoordinateLayout inner) {
    var operation = outer + " ∘ " + inner;
    Map<List<Integer>, Layout> sum = new TreeMap<>(ArithmeticTuple.BY_PLACE);
    var certificates = new ArrayList<Certificate>();
    for (var component : inner.components().entrySet()) {
      Layout at = outer;
      for (int index : component.getKey()) {
        if (index >= at.rank()) {
          return Decision.Undefined.of(operation, "every place of a coordinate is a mode of the left operand",
              "there is no mode " + index + " in " + at);
        }
        at = at.mode(index);
      }
      switch (at.tryComposition(component.getValue())) {
        case Decision.Undefined<Layout> undefined -> {
          return undefined.as(operation);
        }
        case Decision.Defined<Layout> defined -> {
          sum.put(component.getKey(), defined.result());
          certificates.add(defined.certificate());
        }
      }
    }
    return switch (CommonRefinement.of(operation, inner.shape(), sum, new ByModeCertificate(certificates))) {
      case Decision.Undefined<CoordinateLayout> undefined -> undefined.as(operation);
      case Decision.Defined<CoordinateLayout> defined ->
          new Decision.Defined<>(added(defined.result()), defined.certificate());
    };
  }

  private static Layout added(CoordinateLayout parts) {
    var strides = parts.strides().stream()
        .map(s -> s.terms().stream().mapToLong(ArithmeticTuple.Term::scale).reduce(0, Math::addExact)).iterator();
    return new Layout(parts.shape(), CoordinateLayout.congruent(parts.shape(), strides));
  }
}
