package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.Division;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/**
 * The theorems of the categorical foundations: an operation on morphisms, realised, is the operation on layouts. Both
 * sides are tables of offsets, the one of the result, the other of the definition.
 */
class MorphismLawProperties {

  @Property
  void realisationPutsEachDigitAtItsPosition(@ForAll("morphisms") TupleMorphism f) {
    assertEquals(f.domain(), f.layout().shape());
    assertArrayEquals(Tables.of(f), f.layout().offsets());
    assertEquals(f, TupleMorphism.parse(f.toString()));
  }

  @Property
  void realisationIsInjectiveExactlyIfNoOtherExtentThanOneIsLost(@ForAll("morphisms") TupleMorphism f) {
    long[] extents = f.domain().flatten();
    boolean lost = IntStream.range(0, extents.length).anyMatch(i -> extents[i] > 1 && f.map().get(i) == 0);
    assertEquals(lost, LongStream.of(f.layout().offsets()).distinct().count() < f.size());
  }

  @Property
  void theRealisationOfACompositeIsTheCompositeOfRealisations(@ForAll("morphisms") TupleMorphism f,
      @ForAll Random random) {
    var g = Morphisms.from(f.codomain(), random);
    var composite = defined(g.tryComposition(f));
    assertArrayEquals(Tables.after(Tables.of(f), Tables.of(g)), composite.layout().offsets());
    assertEquals(f.domain(), composite.domain());
    assertEquals(g.codomain(), composite.codomain());
    var h = Morphisms.from(g.codomain(), random);
    assertEquals(defined(defined(h.tryComposition(g)).tryComposition(f)), defined(h.tryComposition(composite)));
    assertEquals(f, defined(f.tryComposition(TupleMorphism.identity(f.domain()))));
    assertEquals(f, defined(TupleMorphism.identity(f.codomain()).tryComposition(f)));
  }

  @Example
  void theSameHoldsForAllPairsOfSmallMorphisms() {
    var tuples = Morphisms.tuples(2, 3);
    int[] pairs = {0, 0};
    for (var middle : tuples) {
      for (var from : tuples) {
        Morphisms.each(from, middle, f -> {
          for (var to : tuples) {
            Morphisms.each(middle, to, g -> {
              pairs[0]++;
              var composite = defined(g.tryComposition(f)).layout().offsets();
              assertArrayEquals(Tables.after(Tables.of(f), Tables.of(g)), composite);
            });
          }
          for (var other : tuples) {
            if (!other.equals(middle)) {
              pairs[1]++;
              assertTrue(TupleMorphism.identity(other).tryComposition(f) instanceof Decision.Undefined);
            }
          }
        });
      }
    }
    assertTrue(pairs[0] > 2000 && pairs[1] > 2000, () -> Arrays.toString(pairs));
  }

  @Property(tries = 200)
  void theRealisationOfASumLiesSideBySide(@ForAll("morphisms") TupleMorphism f, @ForAll("morphisms") TupleMorphism g) {
    var sum = f.sum(g);
    assertArrayEquals(Tables.sum(Tables.of(f), Tables.of(g), f.cosize()), sum.layout().offsets());
    assertEquals(IntTuple.of(f.codomain(), g.codomain()), sum.codomain());
  }

  @Property
  void aConcatenationAddsOffsets(@ForAll("morphisms") TupleMorphism f, @ForAll Random random) {
    var g = Morphisms.to(f.codomain(), random, 2);
    boolean disjoint = f.map().stream().noneMatch(position -> position != 0 && g.map().contains(position));
    switch (f.tryConcatenation(g)) {
      case Decision.Defined<TupleMorphism> both -> {
        assertTrue(disjoint && both.certificate().holds());
        assertArrayEquals(Tables.sum(Tables.of(f), Tables.of(g), 1), both.result().layout().offsets());
        assertEquals(IntTuple.of(f.domain(), g.domain()), both.result().domain());
      }
      case Decision.Undefined<TupleMorphism> none -> assertTrue(!disjoint, none::message);
    }
  }

  @Property
  void coalescingAMorphismCoalescesItsLayout(@ForAll("morphisms") TupleMorphism f) {
    var coalesced = f.coalesce();
    assertArrayEquals(Tables.of(f), coalesced.layout().offsets());
    assertEquals(f.layout().coalesce(), coalesced.layout());
    assertEquals(coalesced, coalesced.coalesce());
  }

  @Property
  void coalescingOverATupleKeepsItsCoordinates(@ForAll("morphisms") TupleMorphism f, @ForAll Random random) {
    var refined = Morphisms.refine(f.domain(), random);
    var fine = defined(f.tryPushforward(refined));
    var over = defined(fine.tryCoalesceOver(f.domain()));
    assertArrayEquals(Tables.of(f), over.layout().offsets());
    assertEquals(f.domain(), over.domain(), "each extent went to one position");
  }

  @Property
  void theComplementTilesTheCodomainInOrder(@ForAll("total") TupleMorphism f) {
    var complement = defined(f.tryComplement());
    assertArrayEquals(Tables.complement(Tables.of(f), f.cosize()), complement.layout().offsets());
    assertEquals(f.layout().complement(f.cosize()), complement.layout().coalesce());
  }

  @Property
  void onlyTotalMorphismsHaveAComplement(@ForAll("morphisms") TupleMorphism f) {
    assertEquals(!f.map().contains(0), f.tryComplement() instanceof Decision.Defined);
  }

  @Property
  void divisionIsByTileAndRest(@ForAll("total") TupleMorphism tile, @ForAll Random random) {
    var f = Morphisms.from(tile.codomain(), random);
    var divided = defined(f.tryLogicalDivide(tile));
    var rest = Tables.complement(Tables.of(tile), f.size());
    assertEquals(2, divided.domain().rank());
    assertEquals(tile.domain(), divided.domain().mode(0));
    var tileThenRest = Tables.sum(Tables.of(tile), rest, 1);
    assertArrayEquals(Tables.after(tileThenRest, Tables.of(f)), divided.layout().offsets());
    if (Division.logical(f.layout(), tile.layout()) instanceof Decision.Defined<?>) {
      assertEquals(f.layout().logicalDivide(tile.layout()).coalesce(), divided.layout().coalesce());
    }
  }

  @Property
  void aProductBeginsWithTheFirstAndLaysTilesOverItsComplement(@ForAll("total") TupleMorphism f,
      @ForAll Random random) {
    var complement = Tables.complement(Tables.of(f), f.cosize());
    var tiles = Morphisms.to(defined(f.tryComplement()).domain(), random, 2);
    var product = defined(f.tryLogicalProduct(tiles)).layout();
    assertEquals(f.layout(), product.mode(0));
    assertArrayEquals(Tables.after(Tables.of(tiles), complement), product.mode(1).offsets());
    assertArrayEquals(Tables.sum(Tables.of(f), Tables.after(Tables.of(tiles), complement), 1), product.offsets());
  }

  @Property
  void sortingOrdersTheModesOfTheLayout(@ForAll("morphisms") TupleMorphism f) {
    var sorted = f.sort().layout();
    long[] strides = sorted.flatStride();
    long[] extents = sorted.flatShape();
    for (int i = 1; i < strides.length; i++) {
      assertTrue(strides[i - 1] < strides[i] || strides[i - 1] == strides[i] && extents[i - 1] <= extents[i]);
    }
    assertArrayEquals(ascending(Tables.of(f)), ascending(sorted.offsets()));
    assertTrue(f.sort().isSorted());
  }

  @Property
  void squeezingLosesOnlyExtentsOfOne(@ForAll("morphisms") TupleMorphism f) {
    var squeezed = f.squeeze();
    assertArrayEquals(f.domain().leaves().filter(e -> e != 1).toArray(), squeezed.domain().flatten());
    assertArrayEquals(f.codomain().leaves().filter(e -> e != 1).toArray(), squeezed.codomain().flatten());
    assertArrayEquals(Tables.of(f), squeezed.layout().offsets());
    assertArrayEquals(Tables.of(f), f.flatten().layout().offsets());
  }

  @Property
  void aRestrictionIsTheFunctionWhereOtherCoordinatesAreZero(@ForAll("morphisms") TupleMorphism f,
      @ForAll Random random) {
    var places = IntStream.rangeClosed(1, f.map().size()).filter(_ -> random.nextBoolean()).boxed().toList();
    var restricted = f.restrict(places);
    long[] extents = f.domain().flatten();
    var inclusion = TupleMorphism.of(restricted.domain(), IntTuple.flat(extents),
        places.stream().mapToInt(place -> place).toArray());
    assertArrayEquals(Tables.after(Tables.of(inclusion), Tables.of(f)), restricted.layout().offsets());
  }

  @Property
  void aFactorisationFollowedByTheInclusionIsTheMorphism(@ForAll("morphisms") TupleMorphism f, @ForAll Random random) {
    int length = f.codomain().flatten().length;
    var places = IntStream.rangeClosed(1, length).filter(_ -> random.nextInt(8) != 0).boxed().toList();
    switch (f.tryFactorization(places)) {
      case Decision.Defined<TupleMorphism> through -> {
        assertTrue(through.certificate().holds());
        var inclusion = TupleMorphism.of(through.result().codomain(), f.codomain(),
            places.stream().mapToInt(place -> place).toArray());
        assertArrayEquals(Tables.of(f), Tables.after(Tables.of(through.result()), Tables.of(inclusion)));
      }
      case Decision.Undefined<TupleMorphism> none -> assertTrue(
          f.map().stream().anyMatch(position -> position != 0 && !places.contains(position)), none::message);
    }
  }

  private static long[] ascending(long[] offsets) {
    return LongStream.of(offsets).sorted().toArray();
  }

  private static TupleMorphism defined(Decision<TupleMorphism> decision) {
    if (decision instanceof Decision.Defined<TupleMorphism> defined) {
      assertTrue(defined.certificate().holds(), () -> defined.certificate().explain());
    }
    return decision.orElseThrow();
  }

  @Provide
  Arbitrary<TupleMorphism> morphisms() {
    return Morphisms.any();
  }

  @Provide
  Arbitrary<TupleMorphism> total() {
    return Morphisms.total();
  }
}
