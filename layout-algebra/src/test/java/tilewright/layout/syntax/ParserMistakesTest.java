package tilewright.layout.syntax;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParserMistakesTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4;2)                  | 3  | expected ')'
      (4                     | 3  | expected ')', found the end
      4)                     | 2  | expected the end, found ')'
      4 @                    | 4  | an integer of at most 64 bits, found the end
      1@-1                   | 3  | the index of a mode, found '-'
      1@2147483648           | 3  | the index of a mode
      1@ 2147483648          | 4  | the index of a mode
      E<-1>                  | 3  | the index of a mode
      E<0,2147483648>        | 5  | the index of a mode
      E<_>                   | 3  | an integer, found '_'
      1+_                    | 3  | an integer of at most 64 bits
      -                      | 1  | an integer of at most 64 bits
      4:-x                   | 3  | an integer of at most 64 bits
      9223372036854775808    | 1  | an integer of at most 64 bits
      ^x                     | 2  | an integer of at most 64 bits
      Sw<1,2>                | 1  | three integers in a swizzle
      Sw<1,2,3:1>            | 8  | an integer
      @                      | 1  | an integer, a tuple, a tiler or an operation, found '@'
      `(4)                   | 1  | an integer, a tuple, a tiler or an operation
      {4}                    | 1  | an integer, a tuple, a tiler or an operation
      [(4)                   | 5  | expected ']'
      /                      | 1  | found '/'
      :4                     | 1  | found ':'
      4 ∘                    | 4  | an integer, a tuple, a tiler or an operation, found the end
      (1, name)              | 5  | an operation with its operands in parentheses, found 'n'
      """)
  void namesTheColumnAndWhatWouldBeRightThere(String text, int column, String message) {
    var e = assertThrows(LayoutSyntaxException.class, () -> Parser.parse(text));
    assertEquals(column, e.position() + 1, e.getMessage());
    assertTrue(e.getMessage().startsWith("column " + column + " of '"), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
