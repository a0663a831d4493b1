package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MorphismExpressionTest {

  /** By the definitions, by hand: a stride is the product of the codomain before the position. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      morphism((2,3), (3,2), (2,1))                                       | (2,3)→(3,2):(2,1)
      standard_form((4,2):(1,16))                                         | (4,2)→(4,4,2):(1,3)
      realize(morphism((2,3), (3,2), (2,1)))                              | (2,3):(3,1)
      realize(morphism((2,3), (3,2), (2,0)))                              | (2,3):(3,0)
      realize(standard_form((4,(2,3)):(6,(3,24))))                        | (4,(2,3)):(6,(3,24))
      compose_morphisms(morphism((2,3),(3,2),(2,1)), morphism((3),(2,3),(2))) | (3)→(3,2):(1)
      sum_morphisms(2:1, 3:1)                                             | (2,3)→((2),(3)):(1,2)
      complement_morphism(morphism((2),(2,3),(1)))                        | (3)→(2,3):(2)
      coalesce_morphism(morphism((2,3),(2,3),(1,2)))                      | 6→(6):(1)
      divide_morphisms(morphism((4,6),(4,6),(1,2)), morphism((4),(4,6),(1))) | ((4),(6))→(4,6):(1,2)
      multiply_morphisms(morphism((2),(2,3),(1)), morphism((3),(3),(1)))  | ((2),(3))→(2,3):(1,2)
      """)
  void morphismsFollowTheirDefinitions(String text, String value) {
    assertEquals(value, Expression.parse(text).evaluate().toString());
  }

  /** Compositions of layouts that CuTe's engines agree on. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (6,2):(8,2)  | (4,3):(3,1) | ((2,2),3):((24,2),8)
      (10,2):(16,4)| (5,4):(1,5) | (5,(2,2)):(16,(80,4))
      """)
  void aWeakCompositeRealisesTheComposition(String outer, String inner, String composition) {
    assertEquals(composition, Expression.parse("realize(weak_composite(" + outer + ", " + inner + "))").evaluate()
        .toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      standard_form((2,2):(2,3))                 | 2·2 of mode 0 does not divide 3
      morphism((2,3), (3,2), (1,1))              | extents must be equal
      morphism((2,3), (3,2), (2,-1))             | positions from 0 on
      realize(Sw<1,0,1>)                         | takes a layout as 'morphism'
      """)
  void whatIsNoMorphismIsRefused(String text, String reason) {
    var e = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
