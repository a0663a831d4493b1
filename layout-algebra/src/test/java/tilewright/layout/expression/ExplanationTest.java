package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static tilewright.layout.expression.Explain.assertLines;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplanationTest {

  @Test
  void aLiteralExplainsItself() {
    assertEquals("(4,2):(1,4)", Expression.parse("(4,2):(1,4)").explain().toText());
  }

  @Test
  void oneOperationNeedsNoNumber() {
    assertEquals("""
        size((4,2):(1,4)) = 8
           how many coordinates there are""", Expression.parse("size((4,2):(1,4))").explain().toText());
  }

  @Test
  void severalOperationsAreNumberedFromTheInnermostOn() {
    var explanation = Expression.parse("size(coalesce((2,(1,6)):(1,(6,2))))").explain();
    assertEquals("""
        1. coalesce((2,(1,6)):(1,(6,2))) = 12:1
           the same function in the fewest modes
           leaves, left to right: 2:1 1:6 6:2
        2. size(12:1) = 12
           how many coordinates there are""", explanation.toText());
    assertEquals("12", explanation.value().orElseThrow().toString());
  }

  @Test
  void anUndefinedOperationIsTheLastStepAndSaysWhy() {
    var explanation = Expression.parse("size(tile_to_shape(8:1, 12))").explain();
    assertEquals(Optional.empty(), explanation.value());
    assertEquals("""
        tile_to_shape(8:1, 12) is undefined
           needed: each mode of the block divides the target's
           at mode 0
           found: 8 does not divide 12""", explanation.toText());
  }

  @Test
  void operationsWithoutADerivationOfTheirOwnSayWhyThereIsNoValue() {
    assertLines("""
        the same function as a swizzle behind a layout
        needed: …
        found: …""", "to_swizzled((2,2):(^1,^1))");
  }

  @Test
  void filteringShowsTheLeaves() {
    assertLines("""
        without modes of stride 0 and coalesced
        leaves, left to right: 2:0 3:1""", "filter((2,3):(0,1))");
  }

  @Test
  void operandsThatAreMistakenAreNotExplained() {
    assertThrows(ExpressionException.class, () -> Expression.parse("size(coalesce(4:1, 5, 6))").explain());
    assertThrows(ExpressionException.class, () -> Expression.parse("size(zzz(4))").explain());
  }
}
