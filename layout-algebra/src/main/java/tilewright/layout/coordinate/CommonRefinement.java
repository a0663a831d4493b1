package tilewright.layout.coordinate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import tilewright.layout.Layout;
import tilewright.layout.Modes;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/**
 * One layout of coordinates out of a layout for each place. A leaf that the places cut at different indices has a
 * common refinement exactly when all the cuts together are a chain of divisors: a coalesced layout's cuts are forced.
 */
public final class CommonRefinement {
  private final List<ArithmeticTuple> strides = new ArrayList<>();
  private String clash = "";

  private CommonRefinement() {}

  /** The parts' shapes refine {@code shape}. */
  public static Decision<CoordinateLayout> of(String operation, IntTuple shape, Map<List<Integer>, Layout> parts,
      Certificate certificate) {
    var refinement = new CommonRefinement();
    var refined = refinement.refined(shape, parts);
    if (refined.isEmpty()) {
      return Decision.Undefined.of(operation, "where the places cut a mode, each cut divides the next",
          refinement.clash);
    }
    return new Decision.Defined<>(new CoordinateLayout(refined.get(), refinement.strides), certificate);
  }

  private Optional<IntTuple> refined(IntTuple shape, Map<List<Integer>, Layout> parts) {
    if (shape instanceof IntTuple.Leaf leaf) return leaf(leaf.value(), parts);
    var modes = new ArrayList<IntTuple>();
    for (int i = 0; i < shape.rank(); i++) {
      var inMode = new TreeMap<List<Integer>, Layout>(ArithmeticTuple.BY_PLACE);
      for (var part : parts.entrySet()) inMode.put(part.getKey(), part.getValue().mode(i));
      var mode = refined(shape.mode(i), inMode);
      if (mode.isEmpty()) return mode;
      modes.add(mode.get());
    }
    return Optional.of(IntTuple.of(modes));
  }

  private Optional<IntTuple> leaf(long extent, Map<List<Integer>, Layout> parts) {
    var extents = new ArrayList<IntTuple>();
    long below = 1;
    for (long cut : cuts(extent, parts)) {
      if (cut % below != 0) {
        clash = "a mode of extent " + extent + " is cut at " + below + " and at " + cut;
        return Optional.empty();
      }
      extents.add(IntTuple.of(cut / below));
      strides.add(stride(below, extent, parts));
      below = cut;
    }
    return Optional.of(extents.size() == 1 ? extents.getFirst() : IntTuple.of(extents));
  }

  /** The index at which each mode of a part ends, the extent last. */
  private static TreeSet<Long> cuts(long extent, Map<List<Integer>, Layout> parts) {
    var cuts = new TreeSet<Long>(List.of(extent));
    for (var part : parts.values()) {
      long cut = 1;
      for (var mode : Modes.of(part.coalesce()).list()) {
        cut = Math.multiplyExact(cut, mode.extent());
        cuts.add(cut);
      }
    }
    return cuts;
  }

  private static ArithmeticTuple stride(long index, long extent, Map<List<Integer>, Layout> parts) {
    if (extent <= 1) return ArithmeticTuple.ZERO;
    return new ArithmeticTuple(parts.entrySet().stream()
        .map(p -> new ArithmeticTuple.Term(p.getValue().apply(index), p.getKey())).toList());
  }
}
