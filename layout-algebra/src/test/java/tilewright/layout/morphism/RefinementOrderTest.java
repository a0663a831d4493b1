package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Meets and joins under refinement, against a search through all small nested tuples. */
class RefinementOrderTest {
  /** All trees with up to four integers, no deeper than two, of these integers. */
  private static final List<IntTuple> CANDIDATES = tuples(4, 2, List.of(1L, 2L, 4L));
  private static final List<IntTuple> SMALL =
      CANDIDATES.stream().filter(tuple -> tuple.flatten().length <= 2 && tuple.depth() <= 2).toList();

  @Test
  void theCommonRefinementIsTheCoarsestTupleThatRefinesBoth() {
    check(Refinement::tryCommonRefinement, Refinement::refines);
  }

  @Test
  void theCommonCoarseningIsTheFinestTupleThatBothRefine() {
    check(Refinement::tryCommonCoarsening, (coarse, fine) -> Refinement.refines(fine, coarse));
  }

  private static void check(BiFunction<IntTuple, IntTuple, Decision<IntTuple>> operation,
      BiPredicate<IntTuple, IntTuple> bounds) {
    int[] counts = {0, 0};
    for (var first : SMALL) {
      for (var second : SMALL) {
        var all = CANDIDATES.stream().filter(c -> bounds.test(c, first) && bounds.test(c, second)).toList();
        switch (operation.apply(first, second)) {
          case Decision.Defined<IntTuple>(var bound, var certificate) -> {
            counts[0]++;
            assertTrue(certificate.holds(), certificate::explain);
            assertTrue(bounds.test(bound, first) && bounds.test(bound, second), certificate::explain);
            assertTrue(all.stream().allMatch(other -> bounds.test(other, bound)), certificate::explain);
          }
          case Decision.Undefined<IntTuple> none -> {
            counts[1]++;
            assertEquals(List.of(), all, none::message);
          }
        }
      }
    }
    assertTrue(counts[0] > 100 && counts[1] > 100, () -> Arrays.toString(counts));
  }

  @Test
  void refusalsNameWhatDoesNotMeet() {
    assertEquals("common refinement of (2,(3,4)) and (2,6) is undefined: an integer meets a tuple of its size;"
        + " (3,4) has size 12, 6 has size 6",
        refusal(Refinement.tryCommonRefinement(parse("(2,(3,4))"), parse("(2,6)"))));
    assertEquals("common refinement of (2,3) and (2,3,1) is undefined: tuples that meet have as many modes;"
        + " those of (2,3) meet those of (2,3,1)",
        refusal(Refinement.tryCommonRefinement(parse("(2,3)"), parse("(2,3,1)"))));
    assertEquals("common coarsening of (2,3) and 7 is undefined: both have one size; (2,3) has size 6, 7 has size 7",
        refusal(Refinement.tryCommonCoarsening(parse("(2,3)"), parse("7"))));
  }

  private static String refusal(Decision<IntTuple> decision) {
    return assertInstanceOf(Decision.Undefined.class, decision).message();
  }

  private static IntTuple parse(String text) {
    return IntTuple.parse(text);
  }

  private static List<IntTuple> tuples(int length, int depth, List<Long> integers) {
    var tuples = new ArrayList<IntTuple>();
    if (length >= 1) integers.forEach(value -> tuples.add(IntTuple.of(value)));
    if (depth > 0) extend(List.of(), length, depth, integers, tuples);
    return tuples;
  }

  private static void extend(List<IntTuple> begin, int length, int depth, List<Long> integers, List<IntTuple> tuples) {
    tuples.add(IntTuple.of(begin));
    for (var mode : tuples(length, depth - 1, integers)) {
      int used = mode.flatten().length;
      if (used == 0) continue;
      var more = new ArrayList<>(begin);
      more.add(mode);
      extend(more, length - used, depth, integers, tuples);
    }
  }
}
