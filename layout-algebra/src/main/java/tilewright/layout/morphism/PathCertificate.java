package tilewright.layout.morphism;

import java.util.List;
import tilewright.layout.decision.Certificate;

/**
 * The result sends each integer where the morphisms of the path send it one after the other. Realised, it is their
 * layouts one after the other, because a partial injection lets no carry happen.
 *
 * @param path the first applied comes first; the integers of a codomain begin those of the next domain
 */
record PathCertificate(List<TupleMorphism> path, TupleMorphism result) implements Certificate {
  @Override
  public boolean holds() {
    for (int step = 1; step < path.size(); step++) {
      long[] to = path.get(step - 1).codomain().flatten();
      long[] from = path.get(step).domain().flatten();
      for (int i = 0; i < to.length; i++) {
        if (i >= from.length || to[i] != from[i]) return false;
      }
    }
    for (int i = 0; i < result.map().size(); i++) {
      int position = i + 1;
      for (var step : path) position = position == 0 ? 0 : step.map().get(position - 1);
      if (position != result.map().get(i)) return false;
    }
    return true;
  }

  @Override
  public String explain() {
    var steps = path.reversed().stream().map(TupleMorphism::toString).toList();
    return String.join(" ∘ ", steps) + " = " + result + ", position by position";
  }
}
