package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By hand: 6 splits into (2,3) or (3,2), 4 into (2,2). */
class RefinementExpressionTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      refines((4,(2,3)), (4,6))                      | true
      refines((4,6), (4,(2,3)))                      | false
      common_refinement((4,(2,3)), ((2,2),6))        | ((2,2),(2,3))
      common_coarsening((4,(2,3)), ((2,2),6))        | (4,6)
      mutual_refinement((6,2), (3,4))                | (((3,2),2),(3,(2,2)))
      """)
  void tuplesSplitOthersIntoProducts(String text, String value) {
    assertEquals(value, Expression.parse(text).evaluate().toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      common_refinement((4,6), (6,4))                | is undefined
      mutual_refinement((4,6), (6,4))                | is undefined
      refines((4,0), 4)                              | takes extents of at least 1 as 'a', got (4,0)
      """)
  void whatHasNoneIsRefused(String text, String reason) {
    var e = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
