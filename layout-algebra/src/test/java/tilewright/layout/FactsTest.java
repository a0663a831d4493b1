package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.Decision;
import tilewright.layout.synthesis.LayoutSynthesis;
import tilewright.layout.tuple.IntTuple;

/** Layouts that go through facts and are free elsewhere. */
class FactsTest {

  @Test
  void aShapeGoesThroughFactsExactlyWhereIntegerStridesDo() {
    var shape = IntTuple.parse("(4,3)");
    int[] counts = new int[2];
    for (int code = 0; code < 343; code++) {
      long first = code % 7;
      long second = code / 7 % 7;
      long third = code / 49;
      var facts = new LinkedHashMap<IntTuple, Long>();
      facts.put(IntTuple.flat(2, 0), first);
      facts.put(IntTuple.flat(1, 2), second);
      facts.put(IntTuple.of(7), third);
      boolean exists = false;
      for (long s = -8; s <= 8; s++) {
        for (long t = -24; t <= 24; t++) exists |= 2 * s == first && s + 2 * t == second && 3 * s + t == third;
      }
      switch (LayoutSynthesis.through(shape, facts)) {
        case Decision.Defined<Layout>(var layout, var certificate) -> {
          counts[0]++;
          assertTrue(exists && certificate.holds(), facts.toString());
          assertEquals(shape, layout.shape());
          facts.forEach((coordinate, offset) -> assertEquals(offset, layout.apply(coordinate)));
        }
        case Decision.Undefined<Layout> undefined -> {
          counts[1]++;
          assertTrue(!exists, undefined.message());
          // 2·s = first, then s + 2·t = second, then 3·s + t = third.
          var fact = first % 2 != 0 ? "(2,0) ↦ " + first
              : (second - first / 2) % 2 != 0 ? "(1,2) ↦ " + second : "7 ↦ " + third;
          assertTrue(undefined.message().contains(fact + " contradicts"), undefined.message());
        }
      }
    }
    assertTrue(counts[0] > 3 && counts[1] > 100, counts[0] + " found, " + counts[1] + " not");
  }

  @Test
  void factsLeaveOtherOffsetsFree() {
    var facts = new TreeMap<>(Map.of(0L, 0L, 1L, 5L, 2L, 1L, 5L, 7L));
    var defined = assertInstanceOf(Decision.Defined.class, LayoutSynthesis.through(facts));
    assertTrue(defined.certificate().holds(), defined.certificate().explain());
    var layout = LayoutSynthesis.through(facts).orElseThrow();
    facts.forEach((index, offset) -> assertEquals(offset, layout.apply(index)));
  }

  @Test
  void noLayoutLeavesZeroAtZero() {
    var undefined = assertInstanceOf(Decision.Undefined.class,
        LayoutSynthesis.through(new TreeMap<>(Map.of(0L, 1L, 5L, 2L))));
    assertTrue(undefined.message().contains("layout through {0=1, 5=2} is undefined"), undefined.message());
    assertThrows(IllegalArgumentException.class, () -> LayoutSynthesis.through(new TreeMap<>(Map.of(-1L, 1L))));
  }

  @Test
  void aSearchThatDoesNotEndLeavesTheAnswerOpen() {
    // Only a first extent of the prime itself lets the last fact differ from the one before it plus that at 1.
    long prime = 1_000_003;
    var facts = new TreeMap<>(Map.of(1L, 0L, prime - 1, 0L, prime, 1L));
    var undefined = assertInstanceOf(Decision.Undefined.class, LayoutSynthesis.through(facts));
    assertTrue(undefined.message().contains("undecided after 200000 steps"), undefined.message());
  }
}
