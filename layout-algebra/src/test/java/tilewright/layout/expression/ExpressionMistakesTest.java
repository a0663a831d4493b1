package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.syntax.LayoutSyntaxException;

class ExpressionMistakesTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      complement(4:1, 24              | 19 | expected ')'
      complement(4:1, 24))            | 20 | expected the end
      (4,2]                           | 5  | expected ')'
      [4:1;2:1                        | 9  | expected ']'
      4:1 ∘                           | 6  | expected an integer, a tuple, a tiler or an operation
      4 4                             | 3  | expected the end
      (4,0):(1,4)                     | 4  | extents of at least 1
      (4,-2):(1,4)                    | 4  | extents of at least 1
      (1,(1,0)):(1,(4,8))             | 7  | extents of at least 1
      (1,min((2,0))):(1,4)            | 1  | extents of at least 1
      (4,2):(1@0,shape((2,3)))        | 12 | multiples of basis elements
      (4,2):(^1,^-1)                  | 11 | an XOR stride
      9223372036854775808:1           | 1  | at most 64 bits
      (4,2):(1,(4))                   | 6  | strides with the tree of the shape
      (4,2):(1@0,_)                   | 12 | multiples of basis elements
      (4,2):(^1,4)                    | 11 | an XOR stride
      Sw<3,4>                         | 1  | three integers in a swizzle
      Sw<3,4,1>                       | 1  | a legal swizzle
      ^5                              | 1  | behind a shape
      [Sw<1,0,1>;4]                   | 1  | in a tiler
      4:1 o 3 o 4:1                   | 1  | a swizzle before
      size                            | 1  | with its operands in parentheses
      """)
  void syntaxErrorsNameTheColumnAndWhatIsNeededThere(String text, int column, String needed) {
    var e = assertThrows(LayoutSyntaxException.class, () -> Expression.parse(text).evaluate());
    assertEquals(column, e.position() + 1, e.getMessage());
    assertTrue(e.getMessage().contains(needed), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      coalesse(4:1)                              | 1  | did you mean coalesce?
      size(zzz(4:1))                             | 6  | no operation is called zzz
      coalesce()                                 | 1  | coalesce(layout, [profile]) got 0 operands
      coalesce(4:1, 2, 3)                        | 1  | got 3 operands
      cosize([4;4])                              | 8  | takes a layout as 'layout', got [4:1;4:1]
      recast<8,12>(Sw<1,2,1>o0o16:1)             | 1  | one width is a power of two times the other
      filter(Sw<1,0,1>o0o4:1)                    | 8  | without a swizzle
      cosize(-4)                                 | 8  | takes extents of at least 1
      layout<2>((4,2):(1,4))                     | 8  | the index of a mode, 0 to 1
      (4,2):(1,4)([4;4])                         | 13 | coordinates are integers and _
      (4,2):(1,4)(-1)                            | 13 | coordinates count from 0
      [4;4](3)                                   | 6  | layouts have values at coordinates
      4:4611686018427387904(3)                   | 22 | does not fit 64 bits
      coalesce((4294967296,4294967296))          | 1  | does not fit 64 bits
      size(complement((2,3):(3,2), 12))          | 6  | is undefined
      """)
  void operationsThatHaveNoValueSayWhichAndWhy(String text, int column, String reason) {
    var e = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertEquals(column, e.position() + 1, e.getMessage());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @Test
  void anUndefinedOperationCarriesItsConditionAndWitness() {
    var e = assertThrows(ExpressionException.class,
        () -> Expression.parse("composition((6,2):(1,7), (3,2):(2,3))").evaluate());
    // A(B(2,1)) = A(2·2 + 1·3) = A(7) = 1 + 7 = 8, where strides (2,3) give 7.
    var witness = e.witness().orElseThrow();
    assertEquals(List.of(5L, 8L, 7L), List.of(witness.index(), witness.demanded(), witness.given()));
    assertEquals("(2,1)", witness.coordinate().toString());
  }

  @ParameterizedTest
  @CsvSource({"(, 10000", "[, 10000", "coalesce(, 10000", "1 o , 20000", "4:1(1), 9000", "1@, 20000"})
  void repetitionIsRefusedNotOverflowed(String part, int times) {
    var e = assertThrows(IllegalArgumentException.class, () -> Expression.parse(part.repeat(times)).evaluate());
    assertTrue(e.getMessage().length() < 250, e.getMessage());
  }

  @Test
  void longTextsAreRefusedAtOnce() {
    var e = assertThrows(LayoutSyntaxException.class, () -> Expression.parse("1".repeat(10_000_000)));
    assertEquals(Expression.LONGEST, e.position());
    assertTrue(e.getMessage().length() < 200, e.getMessage());
  }
}
