package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.tuple.IntTuple;

/** Neighbours in the domain whose images are neighbours too, or who have none, made one integer. */
final class Coalescence {
  private final TupleMorphism squeezed;
  /** Whether a position of the codomain continues the one before it. */
  private final boolean[] continues;
  private int at;

  private Coalescence(TupleMorphism f) {
    squeezed = f.squeeze();
    continues = new boolean[1 + Trees.length(squeezed.codomain())];
  }

  /** The whole domain, to a flat tuple or, if that suffices, an integer. */
  static TupleMorphism whole(TupleMorphism f) {
    return new Coalescence(f).result(IntTuple.of(1), List.of(f.domain()));
  }

  /**
   * Coalesces within each part of the domain.
   *
   * @param tree the parts' places in the new domain
   * @param parts the domain, cut
   */
  static TupleMorphism over(TupleMorphism f, IntTuple tree, List<IntTuple> parts) {
    return new Coalescence(f).result(tree, parts);
  }

  private TupleMorphism result(IntTuple tree, List<IntTuple> parts) {
    var domain = new ArrayList<IntTuple>();
    var starts = new ArrayList<Integer>();
    for (var part : parts) {
      int end = at + (int) part.leaves().filter(extent -> extent != 1).count();
      var merged = mergeUpTo(end, starts);
      if (merged.isEmpty()) {
        merged.add(1L);
        starts.add(0);
      }
      domain.add(Trees.leafOrFlat(merged));
    }
    int[] number = new int[continues.length];
    var codomain = mergedCodomain(number);
    return new TupleMorphism(Trees.substitute(tree, domain), Trees.flat(codomain),
        starts.stream().map(position -> number[position]).toList());
  }

  private List<Long> mergeUpTo(int end, List<Integer> starts) {
    long[] extents = squeezed.domain().flatten();
    var merged = new ArrayList<Long>();
    for (; at < end; at++) {
      int position = squeezed.map().get(at);
      int before = merged.isEmpty() ? -1 : squeezed.map().get(at - 1);
      if (before >= 0 && position == (before == 0 ? 0 : before + 1)) {
        if (position != 0) continues[position] = true;
        merged.add(Math.multiplyExact(merged.removeLast(), extents[at]));
      } else {
        starts.add(position);
        merged.add(extents[at]);
      }
    }
    return merged;
  }

  /** The codomain's new integers, and for each old position the number of its new one. */
  private List<Long> mergedCodomain(int[] number) {
    long[] extents = squeezed.codomain().flatten();
    var merged = new ArrayList<Long>();
    for (int position = 1; position <= extents.length; position++) {
      long extent = extents[position - 1];
      if (continues[position]) merged.add(Math.multiplyExact(merged.removeLast(), extent));
      else merged.add(extent);
      number[position] = merged.size();
    }
    return merged;
  }
}
