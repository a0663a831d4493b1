package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/**
 * A morphism of (nested) tuples: a partial injection from the integers of the domain to those of the codomain that
 * keeps their values. Where a layout has strides it has positions; {@link #layout()} turns one into the other. Between
 * flat tuples it is a morphism of the category Tuple, in general of Nest ("Categorical foundations for CuTe layouts").
 *
 * @param domain the shape of the layout, extents of at least 1
 * @param codomain a factorisation of the range, extents of at least 1
 * @param map for each integer of the domain the position of its image among the codomain's, from 1; 0, the base point,
 *     for none
 */
public record TupleMorphism(IntTuple domain, IntTuple codomain, List<Integer> map) {
  /** @throws IllegalArgumentException if the map is no partial injection that keeps extents */
  public TupleMorphism {
    map = List.copyOf(map);
    requireExtents(domain);
    requireExtents(codomain);
    long[] from = domain.flatten();
    long[] to = codomain.flatten();
    var arrow = domain + "→" + codomain;
    if (map.size() != from.length) {
      throw new IllegalArgumentException(arrow + " needs a position for each of " + from.length
          + " integers of the domain, got " + MorphismNotation.positions(map));
    }
    var taken = new boolean[to.length + 1];
    for (int i = 0; i < from.length; i++) {
      int position = map.get(i);
      if (position < 0 || position > to.length) {
        throw new IllegalArgumentException("position " + position + " is outside " + codomain + ": positions are 1 to "
            + to.length + ", and 0 for none");
      }
      if (position == 0) continue;
      if (taken[position]) {
        throw new IllegalArgumentException("position " + position + " is taken twice in "
            + MorphismNotation.positions(map) + ": let all but one be 0");
      }
      taken[position] = true;
      if (from[i] != to[position - 1]) {
        throw new IllegalArgumentException(arrow + " sends extent " + from[i] + " to position " + position
            + " with extent " + to[position - 1] + ": extents must be equal");
      }
    }
  }

  public static TupleMorphism of(IntTuple domain, IntTuple codomain, int... map) {
    return new TupleMorphism(domain, codomain, Arrays.stream(map).boxed().toList());
  }

  /**
   * Reads {@code (2,3)→(3,2):(2,1)}, or with {@code ->}; whatever is printed can be read.
   *
   * @throws IllegalArgumentException with what is wrong
   */
  public static TupleMorphism parse(String text) {
    return MorphismNotation.parse(text);
  }

  public static TupleMorphism identity(IntTuple tuple) {
    return new TupleMorphism(tuple, tuple, IntStream.rangeClosed(1, Trees.length(tuple)).boxed().toList());
  }

  /**
   * The morphism in standard form that realises this layout: its codomain holds, in order of stride, each gap greater
   * than 1 and each extent. It exists exactly for tractable layouts: sorted by stride, zero strides aside, the
   * extent · stride of each mode divides the next stride.
   */
  public static Decision<TupleMorphism> tryStandardForm(Layout layout) {
    return StandardForm.of(layout);
  }

  // Realisation

  /**
   * The layout of the domain's shape in which the stride of each extent is the product of the codomain before its
   * position, or 0.
   *
   * @throws ArithmeticException if a stride exceeds 64 bits
   */
  public Layout layout() {
    long[] extents = codomain.flatten();
    var stride = new long[1 + map.stream().mapToInt(p -> p).max().orElse(0)];
    for (int p = 1; p < stride.length; p++) stride[p] = p == 1 ? 1 : Math.multiplyExact(stride[p - 1], extents[p - 2]);
    return new Layout(domain, Trees.substitute(domain, map.stream().map(p -> IntTuple.of(stride[p])).toList()));
  }

  public long size() {
    return domain.size();
  }

  /** The size of the codomain: all offsets are below it. */
  public long cosize() {
    return codomain.size();
  }

  // Properties

  /** Whether every extent has a position; exactly then there is a complement. */
  public boolean isTotal() {
    return !map.contains(0);
  }

  /** Whether an extent of 1 has a position; a layout's stride there means nothing. */
  public boolean isDegenerate() {
    long[] extents = domain.flatten();
    return IntStream.range(0, extents.length).anyMatch(i -> extents[i] == 1 && map.get(i) != 0);
  }

  /** Whether the layout's modes are in order of stride, equal strides in order of extent. */
  public boolean isSorted() {
    return flatten().equals(sort().flatten());
  }

  /** Whether no extent is 1 and no neighbours could become one, whatever the nesting; an empty domain has neither. */
  public boolean isCoalesced() {
    return domain.leaves().noneMatch(extent -> extent == 1)
        && Trees.length(domain) <= Trees.length(coalesce().domain);
  }

  /** Whether it is what {@link #tryStandardForm} gives for its own layout. */
  public boolean isInStandardForm() {
    return tryStandardForm(layout()) instanceof Decision.Defined<TupleMorphism> form && equals(form.result());
  }

  // Operations that always have a result

  /** This morphism between flattened tuples. */
  public TupleMorphism flatten() {
    return new TupleMorphism(IntTuple.flat(domain.flatten()), IntTuple.flat(codomain.flatten()), map);
  }

  /** f ⊕ g: (S,U)→(T,V), side by side; g's offsets lie behind f's whole codomain. */
  public TupleMorphism sum(TupleMorphism other) {
    int behind = Trees.length(codomain);
    var positions = new ArrayList<>(map);
    for (int position : other.map) positions.add(position == 0 ? 0 : position + behind);
    return new TupleMorphism(IntTuple.of(domain, other.domain), IntTuple.of(codomain, other.codomain), positions);
  }

  /**
   * The inclusion of a flat tuple into the integers of the domain at these places.
   *
   * @param places strictly increasing, from 1
   */
  public TupleMorphism restrict(List<Integer> places) {
    return Subtuples.restrict(this, places);
  }

  /** The domain flat and in order of stride, equal strides in order of extent. */
  public TupleMorphism sort() {
    return Subtuples.sort(this);
  }

  /** Without extents of 1, between flat tuples. */
  public TupleMorphism squeeze() {
    return Subtuples.squeeze(this);
  }

  /** Neighbours that go to neighbours, or nowhere, made one; the layout of the result is the coalesced layout. */
  public TupleMorphism coalesce() {
    return Coalescence.whole(this);
  }

  // Operations that may have none

  /** this ∘ inner; the inner codomain must be this domain. */
  public Decision<TupleMorphism> tryComposition(TupleMorphism inner) {
    return Combination.composition(this, inner);
  }

  /**
   * this ∘ inner after a mutual refinement of the inner codomain and this domain, along which both are carried. It
   * realises the composition of the layouts; {@link #tryCoalesceOver} the inner domain makes it as coarse as may be.
   */
  public Decision<TupleMorphism> tryWeakComposition(TupleMorphism inner) {
    return Refining.weakComposition(this, inner);
  }

  /** (f,g): (S,U)→T of f: S→T and g: U→T with disjoint images. */
  public Decision<TupleMorphism> tryConcatenation(TupleMorphism other) {
    return Combination.concatenation(this, other);
  }

  /** This morphism onto the integers of the codomain at these places, a flat tuple that must hold the image. */
  public Decision<TupleMorphism> tryFactorization(List<Integer> places) {
    return Subtuples.factorize(this, places);
  }

  /** The inclusion of the codomain's integers that are no image, a flat tuple; this morphism must be total. */
  public Decision<TupleMorphism> tryComplement() {
    return Combination.complement(this);
  }

  /** this ∘ (tile, complement of tile): ((tile),(rest)); the tile must be total, its codomain this domain. */
  public Decision<TupleMorphism> tryLogicalDivide(TupleMorphism tile) {
    return Combination.logicalDivide(this, tile);
  }

  /** (this, complement ∘ tiles); this must be total, the codomain of tiles its complement's domain. */
  public Decision<TupleMorphism> tryLogicalProduct(TupleMorphism tiles) {
    return Combination.logicalProduct(this, tiles);
  }

  /** This function to a refinement of the codomain; the domain is refined where it has positions. */
  public Decision<TupleMorphism> tryPullback(IntTuple refinedCodomain) {
    return Refining.pullback(this, refinedCodomain);
  }

  /** This function from a refinement of the domain; the codomain is refined in the image. */
  public Decision<TupleMorphism> tryPushforward(IntTuple refinedDomain) {
    return Refining.pushforward(this, refinedDomain);
  }

  /** Coalesces what stands at each integer of {@code coarse}, which the domain must refine; the codomain is flat. */
  public Decision<TupleMorphism> tryCoalesceOver(IntTuple coarse) {
    return Refining.coalesceOver(this, coarse);
  }

  private static void requireExtents(IntTuple tuple) {
    tuple.leaves().filter(extent -> extent < 1).findFirst().ifPresent(extent -> {
      throw new IllegalArgumentException("extent " + extent + " in " + tuple + ": extents are at least 1");
    });
  }

  @Override
  public String toString() {
    return MorphismNotation.print(this);
  }
}
