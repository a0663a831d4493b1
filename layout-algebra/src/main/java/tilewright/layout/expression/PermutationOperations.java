package tilewright.layout.expression;

import java.util.List;
import tilewright.layout.synthesis.Permutation;
import tilewright.layout.tuple.IntTuple;

/** Layouts that reach each offset below their size once, as permutations of the indices. */
final class PermutationOperations {
  private static final int LARGEST = 1 << 16;

  static final List<Operation> LIST = List.of(
      new Operation("cycles", "layout", "the cycles, each from its least index on",
          o -> Results.of(IntTuple.of(permutation(o).cycles().stream().map(PermutationOperations::cycle).toList()))),
      new Operation("cycle_type", "layout", "pairs of a length and the number of cycles that have it",
          o -> Results.of(IntTuple.of(permutation(o).cycleType().entrySet().stream()
              .map(entry -> cycle(List.of(entry.getKey(), entry.getValue()))).toList()))),
      new Operation("permutation_order", "layout", "after how many applications every index is back",
          o -> Results.of(permutation(o).order())),
      new Operation("is_even_permutation", "layout", "whether an even number of swaps makes it",
          o -> Results.of(permutation(o).isEven())));

  private PermutationOperations() {}

  private static Permutation permutation(Operands o) {
    if (o.layout(0).size() > LARGEST) throw o.mismatch(0, "a layout of at most " + LARGEST + " indices");
    return Permutation.of(o.layout(0)).orElseThrow();
  }

  private static IntTuple cycle(List<Integer> indices) {
    return IntTuple.of(indices.stream().map(IntTuple::of).toList());
  }
}
