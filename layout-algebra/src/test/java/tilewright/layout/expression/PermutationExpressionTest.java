package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By hand: (3,2):(2,1) takes 0,1,2,3,4,5 to 0,2,4,1,3,5. */
class PermutationExpressionTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      cycles((3,2):(2,1))              | ((0),(1,2,4,3),(5))
      cycle_type((3,2):(2,1))          | ((1,2),(4,1))
      permutation_order((3,2):(2,1))   | 4
      is_even_permutation((3,2):(2,1)) | false
      is_even_permutation(4:1)         | true
      permutation_order(65536:1)       | 1
      """)
  void aLayoutThatReachesEachOffsetOnceIsAPermutation(String text, String value) {
    assertEquals(value, Expression.parse(text).evaluate().toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      cycles((2,2):(1,1))              | is undefined
      cycles(4:2)                      | is undefined
      permutation_order(65537:1)       | takes a layout of at most 65536 indices
      """)
  void othersAndLargeOnesAreRefused(String text, String reason) {
    var e = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
