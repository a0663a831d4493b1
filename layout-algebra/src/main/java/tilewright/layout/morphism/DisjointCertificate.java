package tilewright.layout.morphism;

import java.util.HashSet;
import java.util.stream.Stream;
import tilewright.layout.decision.Certificate;

/**
 * Two morphisms share no position of their codomain.
 *
 * @param together whether they also leave none out
 */
record DisjointCertificate(TupleMorphism first, TupleMorphism second, boolean together) implements Certificate {
  @Override
  public boolean holds() {
    var seen = new HashSet<Integer>();
    boolean disjoint = Stream.concat(first.map().stream(), second.map().stream())
        .filter(position -> position != 0).allMatch(seen::add);
    return first.codomain().equals(second.codomain()) && disjoint
        && (!together || seen.size() == Trees.length(first.codomain()));
  }

  @Override
  public String explain() {
    return first + " and " + second + " have no position in common" + (together ? " and leave none out" : "");
  }
}
