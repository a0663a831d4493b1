package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One layout of coordinates out of a layout for each place. A leaf that the places cut at different indices has a
 * common refinement exactly when all the cuts together are a chain of divisors: a coalesced layout's cuts are forced.
 */
final class CommonRefinement {
  private final String operation;
  private final List<ArithmeticTuple> strides = new ArrayList<>();

  private CommonRefinement(String operation) {
    this.operation = operation;
  }

  /** The parts' shapes refine {@code shape}. */
  static Decision<CoordinateLayout> of(String operation, IntTuple shape, Map<List<Integer>, Layout> parts,
      Certificate certificate) {
    var refinement = new CommonRefinement(operation);
    return switch (refinement.refined(shape, parts)) {
      case Decision.Undefined<IntTuple> undefined -> undefined.as(operation);
      case Decision.Defined<IntTuple> defined ->
          new Decision.Defined<>(new CoordinateLayout(defined.result(), refinement.strides), certificate);
    };
  }

  private Decision<IntTuple> refined(IntTuple shape, Map<List<Integer>, Layout> parts) {
    if (shape instanceof IntTuple.Leaf leaf) return leaf(leaf.value(), parts);
    var modes = new ArrayList<IntTuple>();
    for (int i = 0; i < shape.rank(); i++) {
      var inMode = new TreeMap<List<Integer>, Layout>(ArithmeticTuple.BY_PLACE);
      for (var part : parts.entrySet()) inMode.put(part.getKey(), part.getValue().mode(i));
      switch (refined(shape.mode(i), inMode)) {
        case Decision.Undefined<IntTuple> undefined -> {
          return undefined;
        }
        case Decision.Defined<IntTuple> mode -> modes.add(mode.result());
      }
    }
    return new Decision.Defined<>(IntTuple.of(modes), new ByModeCertificate(List.of()));
  }

  private Decision<IntTuple> leaf(long extent, Map<List<Integer>, Layout> parts) {
    var cuts = new TreeSet<Long>(List.of(extent));
    for (var part : parts.values()) {
      long cut = 1;
      for (var mode : Modes.of(part.coalesce()).list()) cuts.add(cut = Math.multiplyExact(cut, mode.extent()));
    }
    var extents = new ArrayList<IntTuple>();
    long below = 1;
    for (long cut : cuts) {
      if (below > 1 && cut % below != 0) {
        return Decision.Undefined.of(operation, "where the places cut a mode, each cut divides the next",
            "mode of extent " + extent + " is cut at " + below + " and at " + cut);
      }
      if (cut == 1 && extent > 1) continue;
      extents.add(IntTuple.of(cut / below));
      strides.add(stride(below, extent, parts));
      below = cut;
    }
    var refined = extents.size() == 1 ? extents.getFirst() : IntTuple.of(extents);
    return new Decision.Defined<>(refined, new ByModeCertificate(List.of()));
  }

  private static ArithmeticTuple stride(long index, long extent, Map<List<Integer>, Layout> parts) {
    if (extent <= 1) return ArithmeticTuple.ZERO;
    return new ArithmeticTuple(parts.entrySet().stream()
        .map(p -> new ArithmeticTuple.Term(p.getValue().apply(index), p.getKey())).toList());
  }
}
