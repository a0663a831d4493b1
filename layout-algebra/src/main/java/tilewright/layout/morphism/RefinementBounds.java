package tilewright.layout.morphism;

import java.util.ArrayList;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Meets and joins of tuples in the order of refinement. */
final class RefinementBounds {
  private RefinementBounds() {}

  static Decision<IntTuple> meet(IntTuple first, IntTuple second) {
    return meet("common refinement of " + first + " and " + second, first, second);
  }

  private static Decision<IntTuple> meet(String operation, IntTuple first, IntTuple second) {
    if (first instanceof IntTuple.Leaf || second instanceof IntTuple.Leaf) {
      if (first.size() != second.size()) {
        return Reasons.undefined(operation, "an integer meets a tuple of its size", sizes(first, second));
      }
      return defined(first, second, first instanceof IntTuple.Leaf ? second : first, true);
    }
    if (first.rank() != second.rank()) {
      return Reasons.undefined(operation, "tuples that meet have as many modes", "those of " + first + " meet those of "
          + second);
    }
    var modes = new ArrayList<IntTuple>();
    for (int i = 0; i < first.rank(); i++) {
      switch (meet(operation, first.mode(i), second.mode(i))) {
        case Decision.Defined<IntTuple> mode -> modes.add(mode.result());
        case Decision.Undefined<IntTuple> none -> {
          return none;
        }
      }
    }
    return defined(first, second, IntTuple.of(modes), true);
  }

  static Decision<IntTuple> join(IntTuple first, IntTuple second) {
    if (first.size() != second.size()) {
      return Reasons.undefined("common coarsening of " + first + " and " + second, "both have one size",
          sizes(first, second));
    }
    return defined(first, second, finest(first, second), false);
  }

  private static IntTuple finest(IntTuple first, IntTuple second) {
    var whole = IntTuple.of(first.size());
    boolean leaf = first instanceof IntTuple.Leaf || second instanceof IntTuple.Leaf;
    if (leaf || first.rank() != second.rank()) return whole;
    var modes = new ArrayList<IntTuple>();
    for (int i = 0; i < first.rank(); i++) {
      if (first.mode(i).size() != second.mode(i).size()) return whole;
      modes.add(finest(first.mode(i), second.mode(i)));
    }
    return IntTuple.of(modes);
  }

  private static String sizes(IntTuple first, IntTuple second) {
    return first + " has size " + first.size() + ", " + second + " has size " + second.size();
  }

  private static Decision<IntTuple> defined(IntTuple first, IntTuple second, IntTuple bound, boolean fine) {
    return new Decision.Defined<>(bound, new BoundCertificate(first, second, bound, fine));
  }

  record BoundCertificate(IntTuple first, IntTuple second, IntTuple bound, boolean fine)
      implements Certificate {
    @Override
    public boolean holds() {
      return fine ? Refinement.refines(bound, first) && Refinement.refines(bound, second)
          : Refinement.refines(first, bound) && Refinement.refines(second, bound);
    }

    @Override
    public String explain() {
      return fine ? bound + " refines " + first + " and " + second : first + " and " + second + " refine " + bound;
    }
  }
}
