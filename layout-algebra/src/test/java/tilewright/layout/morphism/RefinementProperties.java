package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Refining changes no function; and whatever two morphisms could be composed after refining, are. */
class RefinementProperties {

  @Property
  void aPullbackIsTheSameFunctionToTheRefinement(@ForAll("morphisms") TupleMorphism f, @ForAll Random random) {
    var refined = Morphisms.refine(f.codomain(), random);
    var pulled = defined(f.tryPullback(refined));
    assertEquals(refined, pulled.codomain());
    assertTrue(Refinement.refines(pulled.domain(), f.domain()));
    assertArrayEquals(Tables.of(f), Tables.of(pulled));
  }

  @Property
  void aPushforwardIsTheSameFunctionFromTheRefinement(@ForAll("morphisms") TupleMorphism f, @ForAll Random random) {
    var refined = Morphisms.refine(f.domain(), random);
    var pushed = defined(f.tryPushforward(refined));
    assertEquals(refined, pushed.domain());
    assertTrue(Refinement.refines(pushed.codomain(), f.codomain()));
    assertArrayEquals(Tables.of(f), Tables.of(pushed));
  }

  @Property
  void refinementIsAPartialOrder(@ForAll Random random) {
    var coarse = Morphisms.tuple(random, 3);
    var fine = Morphisms.refine(coarse, random);
    var finer = Morphisms.refine(fine, random);
    assertTrue(Refinement.refines(coarse, coarse) && Refinement.refines(fine, coarse));
    assertTrue(Refinement.refines(finer, coarse), "transitive");
    assertEquals(fine.equals(coarse), Refinement.refines(coarse, fine), "antisymmetric");
  }

  @Example
  void aMutualRefinementIsFoundExactlyWhereFactorisationsMeetAndIsTheCoarsest() {
    var tuples = Morphisms.tuples(2, 8);
    int[] counts = {0, 0};
    for (var first : tuples) {
      for (var second : tuples) {
        var best = shortestCommonBeginning(first, second);
        boolean possible = best >= 0 && (second.rank() > 0 || first.rank() == 0);
        switch (Refinement.tryMutual(first, second)) {
          case Decision.Defined<Refinement.Mutual>(var mutual, var certificate) -> {
            counts[0]++;
            assertTrue(possible && certificate.holds(), certificate::explain);
            assertTrue(Refinement.refines(mutual.first(), first) && Refinement.refines(mutual.second(), second));
            long[] begin = mutual.first().flatten();
            assertArrayEquals(begin, Arrays.copyOf(mutual.second().flatten(), begin.length));
            assertEquals(best, Arrays.stream(begin).filter(e -> e != 1).count(), mutual::toString);
          }
          case Decision.Undefined<Refinement.Mutual> none -> {
            counts[1]++;
            assertTrue(!possible, none::message);
          }
        }
      }
    }
    assertTrue(counts[0] > 500 && counts[1] > 500, () -> Arrays.toString(counts));
  }

  /** The least number of factors into which the first splits so that they begin some split of the second, or −1. */
  private static int shortestCommonBeginning(IntTuple first, IntTuple second) {
    int shortest = -1;
    for (var begin : factorisations(first)) {
      for (var all : factorisations(second)) {
        boolean begins = begin.size() <= all.size() && begin.equals(all.subList(0, begin.size()));
        if (begins && (shortest < 0 || begin.size() < shortest)) shortest = begin.size();
      }
    }
    return shortest;
  }

  private static List<List<Long>> factorisations(IntTuple tuple) {
    var all = List.of(List.<Long>of());
    for (long extent : tuple.flatten()) {
      var longer = new ArrayList<List<Long>>();
      for (var begin : all) factorise(begin, extent, longer);
      all = longer;
    }
    return all;
  }

  private static void factorise(List<Long> begin, long extent, List<List<Long>> all) {
    if (extent == 1) all.add(begin);
    for (long factor = 2; factor <= extent; factor++) {
      if (extent % factor != 0) continue;
      var more = new ArrayList<>(begin);
      more.add(factor);
      factorise(more, extent / factor, all);
    }
  }

  @Property
  void aWeakCompositeRealisesTheCompositionOfTheLayouts(@ForAll("morphisms") TupleMorphism inner,
      @ForAll Random random) {
    var outer = Morphisms.from(Morphisms.refine(inner.codomain(), random), random);
    compose(outer, inner);
    compose(Morphisms.from(inner.codomain(), random), defined(inner.tryPullback(outer.domain())));
    compose(Morphisms.to(Morphisms.tuple(random, 4), random, 2), inner);
  }

  private static void compose(TupleMorphism outer, TupleMorphism inner) {
    if (!(outer.tryWeakComposition(inner) instanceof Decision.Defined<TupleMorphism>(var composite, var certificate))) {
      return;
    }
    assertTrue(certificate.holds(), certificate::explain);
    var table = Tables.after(Tables.of(inner), Tables.of(outer));
    assertArrayEquals(table, composite.layout().offsets());
    assertTrue(Refinement.refines(composite.domain(), inner.domain()));
    var coarse = defined(composite.tryCoalesceOver(inner.domain()));
    assertArrayEquals(table, coarse.layout().offsets());
    assertTrue(Refinement.refines(coarse.domain(), inner.domain()));
    assertTrue(Trees.length(coarse.domain()) <= Trees.length(composite.domain()));
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
}
