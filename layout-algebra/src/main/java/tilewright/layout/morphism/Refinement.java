package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Tuples that split others' integers into products: a partial order, CuTe's compatibility reversed. */
public final class Refinement {
  private Refinement() {}

  /**
   * A pair of refinements that let a codomain be followed by a domain.
   *
   * @param first of the first tuple; its integers begin those of {@code second}
   * @param second of the second tuple
   */
  public record Mutual(IntTuple first, IntTuple second) {}

  /** Whether {@code fine} has the tree of {@code coarse} with a tuple of the same size at some of its integers. */
  public static boolean refines(IntTuple fine, IntTuple coarse) {
    return coarse.isCompatibleWith(fine);
  }

  /**
   * The coarsest refinements of both of which the first's integers begin the second's. They exist exactly if, taken
   * off both from the left, of any two integers that meet one divides the other, and the second lasts as long.
   */
  public static Decision<Mutual> tryMutual(IntTuple first, IntTuple second) {
    return MutualRefinement.of(first, second);
  }

  /** The meet: the coarsest tuple that refines both; wherever one has an integer the other must have its size. */
  public static Decision<IntTuple> tryCommonRefinement(IntTuple first, IntTuple second) {
    return RefinementBounds.meet(first, second);
  }

  /** The join: the finest tuple that both refine; they must have one size. */
  public static Decision<IntTuple> tryCommonCoarsening(IntTuple first, IntTuple second) {
    return RefinementBounds.join(first, second);
  }

  /** The parts of {@code fine} that stand at each integer of {@code coarse}, which it refines. */
  static List<IntTuple> parts(IntTuple coarse, IntTuple fine) {
    var parts = new ArrayList<IntTuple>();
    collect(coarse, fine, parts);
    return parts;
  }

  private static void collect(IntTuple coarse, IntTuple fine, List<IntTuple> parts) {
    if (coarse instanceof IntTuple.Leaf) {
      parts.add(fine);
    } else {
      for (int i = 0; i < coarse.rank(); i++) collect(coarse.mode(i), fine.mode(i), parts);
    }
  }

  /** The numbers that keep {@code fine} from refining {@code coarse}. */
  static Optional<String> fault(IntTuple fine, IntTuple coarse) {
    if (refines(fine, coarse)) return Optional.empty();
    if (coarse instanceof IntTuple.Leaf) return Optional.of(fine + " has size " + fine.size() + ", not " + coarse);
    if (fine instanceof IntTuple.Leaf || fine.rank() != coarse.rank()) {
      return Optional.of(fine + " has other modes than " + coarse);
    }
    for (int i = 0; i < coarse.rank(); i++) {
      var fault = fault(fine.mode(i), coarse.mode(i));
      if (fault.isPresent()) return fault;
    }
    throw new IllegalStateException(fine + " refines " + coarse + " in each mode but not as a whole");
  }
}
