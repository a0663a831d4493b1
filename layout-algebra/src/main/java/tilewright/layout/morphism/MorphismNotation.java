package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tilewright.layout.tuple.IntTuple;

/** {@code (2,3)→(3,2):(2,1)}: domain, codomain and, for each integer of the domain, its position in the codomain. */
final class MorphismNotation {
  private static final String ARROW = "→";

  private MorphismNotation() {}

  static String print(TupleMorphism morphism) {
    return morphism.domain() + ARROW + morphism.codomain() + ":" + positions(morphism.map());
  }

  static String positions(List<Integer> map) {
    return map.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")"));
  }

  static TupleMorphism parse(String text) {
    var plain = text.replace("->", ARROW);
    int arrow = plain.indexOf(ARROW);
    int colon = plain.lastIndexOf(':');
    if (arrow < 0 || colon < arrow) {
      throw new IllegalArgumentException("'" + text + "' is no tuple morphism: write domain→codomain:positions,"
          + " such as (2,3)→(3,2):(2,1)");
    }
    return new TupleMorphism(IntTuple.parse(plain.substring(0, arrow)),
        IntTuple.parse(plain.substring(arrow + 1, colon)), map(IntTuple.parse(plain.substring(colon + 1))));
  }

  private static List<Integer> map(IntTuple positions) {
    if (positions.depth() != 1) {
      throw new IllegalArgumentException("positions " + positions + " are not a flat tuple: write one position for each"
          + " integer of the domain, such as (2,1)");
    }
    var map = new ArrayList<Integer>();
    for (long position : positions.flatten()) {
      if (position != (int) position) {
        throw new IllegalArgumentException("position " + position + " is outside every codomain");
      }
      map.add((int) position);
    }
    return map;
  }
}
