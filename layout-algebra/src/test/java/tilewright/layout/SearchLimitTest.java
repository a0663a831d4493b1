package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.ExpressionException;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.SwizzledReach;

/** Searches that do not end in time say so: their answers stay open. */
class SearchLimitTest {

  /** Subset sum with 50 random numbers of 50 bits. */
  private static Layout hard() {
    var strides = new Random(3).longs(50, 1L << 49, 1L << 50).toArray();
    return new Layout(IntTuple.flat(strides).repeatLike(2), IntTuple.flat(strides));
  }

  @Test
  void injectivityMayBeTooHardToDecide() {
    var layout = hard();
    var limit = assertThrows(SearchLimitException.class, layout::isInjective);
    assertEquals("undecided after 1048576 steps of search", limit.getMessage());
    var undefined = assertInstanceOf(Decision.Undefined.class, Inverse.left(layout));
    assertTrue(undefined.message().contains(limit.getMessage()), undefined.message());
  }

  @Test
  void setsOfOffsetsAreListedUpToFourMillion() {
    // Both reach 2·2999 + 5001·1999 = 2·8000 + 5001·1997, so that only lists would tell.
    var first = Layout.parse("(3000,2000):(2,5001)");
    var second = Layout.parse("(8001,1998):(2,5001)");
    assertEquals(first.cosize(), second.cosize());
    assertThrows(SearchLimitException.class, () -> Image.of(first).isSameSet(Image.of(second)));
  }

  @Test
  void theReachOfASwizzledLayoutIsSoughtAmongTwoToThe24Elements() {
    var swizzle = Swizzle.parse("Sw<1,0,1>");
    var most = new ComposedLayout(swizzle, 0, Layout.parse("(8388608,2):(1,1)"));
    assertEquals((1 << 23) + 1, SwizzledReach.of(most));
    var limit = assertThrows(SearchLimitException.class,
        () -> SwizzledReach.of(new ComposedLayout(swizzle, 0, Layout.of((1 << 24) + 1, 1))));
    assertTrue(limit.getMessage().contains("it has 16777217"), limit.getMessage());
  }

  @Test
  void chainsOfPrimesAreTriedUpToAGivenNumber() {
    // With 1 at index 1 and 0 at 2, index 3 has 1 behind an extent of 2, and index 2 has 2 within any longer one. So
    // all chains of primes up to 10 end at 2 and another prime up to 5, at 3, at 5, or at 7.
    var facts = new TreeMap<>(Map.of(0L, 0L, 1L, 1L, 2L, 0L, 3L, 0L, 10L, 0L));
    assertTrue(FactSynthesis.of(facts, 7).isEmpty());
    assertThrows(SearchLimitException.class, () -> FactSynthesis.of(facts, 6));
  }

  @Test
  void anExpressionSaysThatTheSearchDoesNotEnd() {
    var text = "same_image((3000,2000):(2,5001), (8001,1998):(2,5001))";
    var failure = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertTrue(failure.getMessage().contains("same_image: undecided after"), failure.getMessage());
  }
}
