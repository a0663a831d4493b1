package tilewright.layout.coordinate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tilewright.layout.tuple.IntTuple;

/**
 * A sum of scaled basis elements c·E⟨i,j,…⟩, CuTe's {@code ScaledBasis} and {@code ArithmeticTuple}: c at place j of
 * place i of a coordinate. Printed as CuTe does, the innermost place first: {@code 2@0@1} is 2 at place 0 of mode 1; a
 * plain integer has no place.
 *
 * @param terms in the order of their places, each place once, no scale 0
 */
public record ArithmeticTuple(List<Term> terms) {
  public static final ArithmeticTuple ZERO = new ArithmeticTuple(List.of());

  public static final Comparator<List<Integer>> BY_PLACE = (a, b) -> {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = Integer.compare(a.get(i), b.get(i));
      if (order != 0) return order;
    }
    return Integer.compare(a.size(), b.size());
  };

  /**
   * One scaled basis element.
   *
   * @param scale the integer
   * @param place the outermost index first; empty for a plain integer
   */
  public record Term(long scale, List<Integer> place) {
    public Term {
      place = List.copyOf(place);
      if (place.stream().anyMatch(i -> i < 0)) {
        throw new IllegalArgumentException("place " + place + " of a coordinate: indices are at least 0");
      }
    }

    @Override
    public String toString() {
      return scale + place.reversed().stream().map(i -> "@" + i).collect(Collectors.joining());
    }
  }

  /** Adds up terms of equal places; the order of the argument does not matter. */
  public ArithmeticTuple {
    var sums = new TreeMap<List<Integer>, Long>(BY_PLACE);
    for (var term : terms) sums.merge(term.place(), term.scale(), Math::addExact);
    terms = sums.entrySet().stream().filter(e -> e.getValue() != 0)
        .map(e -> new Term(e.getValue(), e.getKey())).toList();
  }

  public static ArithmeticTuple of(long scale, Integer... place) {
    return new ArithmeticTuple(List.of(new Term(scale, List.of(place))));
  }

  public ArithmeticTuple plus(ArithmeticTuple other) {
    var all = new ArrayList<>(terms);
    all.addAll(other.terms);
    return new ArithmeticTuple(all);
  }

  /** The integer at a place; 0 where there is no term. */
  public long at(List<Integer> place) {
    return terms.stream().filter(t -> t.place().equals(place)).mapToLong(Term::scale).findFirst().orElse(0);
  }

  /**
   * The coordinate, with 0 at places without a term and no trailing places.
   *
   * @throws IllegalArgumentException when a place holds both an integer and a tuple
   */
  public IntTuple coordinate() {
    return coordinate(terms, 0);
  }

  private IntTuple coordinate(List<Term> below, int depth) {
    if (below.isEmpty()) return IntTuple.of(0);
    if (below.getFirst().place().size() == depth) {
      if (below.size() > 1) {
        throw new IllegalArgumentException(this + " is no coordinate: " + below.getFirst() + " and " + below.get(1)
            + " would be an integer and a tuple in one place");
      }
      return IntTuple.of(below.getFirst().scale());
    }
    var elements = new ArrayList<IntTuple>();
    for (int i = 0; i <= below.getLast().place().get(depth); i++) {
      int place = i;
      elements.add(coordinate(below.stream().filter(t -> t.place().get(depth) == place).toList(), depth + 1));
    }
    return IntTuple.of(elements);
  }

  @Override
  public String toString() {
    return terms.isEmpty() ? "0" : terms.stream().map(Term::toString).collect(Collectors.joining("+"));
  }
}
