package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.syntax.LayoutSyntaxException;

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
      identity_morphism((2,(3,5)))                                        | (2,(3,5))→(2,(3,5)):(1,2,3)
      flatten_morphism((2,(3,2))→((2,3),2):(1,2,3))                       | (2,3,2)→(2,3,2):(1,2,3)
      sort_morphism((2,3)→(3,2):(2,1))                                    | (3,2)→(3,2):(1,2)
      squeeze_morphism((2,1,3)→(1,2,3):(2,1,3))                           | (2,3)→(2,3):(1,2)
      coalesce_morphism(((2,2),3)→((2,2),3):(1,2,3), (4,3))               | (4,3)→(4,3):(1,2)
      restrict_morphism((2,3,5)→(5,3,2):(3,2,1), 1, 3)                    | (2,5)→(5,3,2):(3,1)
      factorize_morphism((2)→(5,3,2):(3), 1, 3)                           | (2)→(5,2):(2)
      concat_morphisms((2)→(2,3):(1), (3)→(2,3):(2))                      | ((2),(3))→(2,3):(1,2)
      pullback((2,6)→(6,2):(2,1), ((2,3),2))                              | (2,(2,3))→((2,3),2):(3,1,2)
      pushforward((2,6)→(6,2):(2,1), (2,(3,2)))                           | (2,(3,2))→((3,2),2):(3,1,2)
      """)
  void morphismsFollowTheirDefinitions(String text, String value) {
    assertEquals(value, Expression.parse(text).evaluate().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"(2,3)→(3,2):(2,1)", "6→(6):(1)", "((2,2),3)→(3,(2,2)):(2,3,1)", "(2)→(2):(0)", "()→():()"})
  void literalsAreReadAsPrinted(String text) {
    assertEquals(text, Expression.parse(text).evaluate().toString());
    assertEquals(text, Expression.parse(text.replace("→", " -> ")).evaluate().toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (2,3)→(3,2)            | 12 | expected ':'
      (2,3)→(3,2):(2,-1)     | 13 | positions from 0 on
      (2,3)→(3,2):(2,2:1)    | 13 | integers in a morphism
      [2;3]→(3,2):(2,1)      | 1  | integers in a morphism
      (2,3)→3:1:(2,1)        | 10 | the end
      (2,3)->                | 8  | an integer, a tuple, a tiler or an operation
      """)
  void literalsNameWhatIsWrong(String text, int column, String needed) {
    var e = assertThrows(LayoutSyntaxException.class, () -> Expression.parse(text).evaluate());
    assertEquals(column, e.position() + 1, e.getMessage());
    assertTrue(e.getMessage().contains(needed), e.getMessage());
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
      (2,2)→(2,2):(1,1)                          | column 1: morphism: position 1 is taken twice
      morphism((2,3), (3,2), (2,2147483648))     | positions from 0 on
      factorize_morphism((2)→(5,3,2):(3), 1, 2)  | the image lies in the given places
      restrict_morphism((2,3)→(2,3):(1,2), 2, 1) | must increase
      morphism((2,3), (3,2), (2,-1))             | positions from 0 on
      realize(Sw<1,0,1>)                         | takes a layout as 'morphism'
      """)
  void whatIsNoMorphismIsRefused(String text, String reason) {
    var e = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
