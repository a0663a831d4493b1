package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.UndefinedOperationException;

class OperandMistakesTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      domain_distribute((4,0), 2)     | 19 | takes extents of at least 1 as 'shape', got (4,0)
      take<-1,2>((4,2):(1,4))         | 6  | takes an integer from 0 on as 'begin', got -1
      layout<2147483648>((4,2):(1,4)) | 8  | takes an integer from 0 on as 'mode', got 2147483648
      layout<2147483647>((4,2):(1,4)) | 8  | takes the index of a mode, 0 to 1, as 'mode', got 2147483647
      layout<2>((4,2):(1,4))          | 8  | takes the index of a mode, 0 to 1, as 'mode', got 2
      take<0,3>((4,2):(1,4))          | 8  | takes the index of a mode, 0 to 2, as 'end', got 3
      layout<0>(():())                | 8  | takes nothing, there are no modes, as 'mode', got 0
      cosize(0)                       | 8  | takes extents of at least 1 as 'layout', got 0
      size((4,-5))                    | 6  | takes extents of at least 1 as 'layout', got (4,-5)
      -1(_)                           | 1  | shapes have extents of at least 1, got -1
      size(-5(_))                     | 6  | shapes have extents of at least 1, got -5
      0(0)                            | 1  | shapes have extents of at least 1, got 0
      right_inverse(-3(_))            | 15 | shapes have extents of at least 1, got -3
      logical_product(15:16, -1)      | 24 | takes a layout, or a tiler with extents of at least 1 as 'tiles', got -1
      logical_divide(8:1, (2,-2))     | 21 | takes a layout, or a tiler with extents of at least 1 as 'tiler', got (2,-2)
      composition(8:1, 0)             | 18 | takes a layout, or a tiler with extents of at least 1 as 'inner', got 0
      tile_to_shape(4:1, -8)          | 20 | takes extents of at least 1 as 'shape', got -8
      complement(4:1, 0)              | 17 | takes extents of at least 1 as 'bound', got 0
      make_ordered_layout((2,0), 1)   | 21 | takes extents of at least 1 as 'shape', got (2,0)
      make_identity_layout(-4)        | 22 | takes extents of at least 1 as 'shape', got -4
      compact_col_major((4,0))        | 19 | takes extents of at least 1 as 'shape', got (4,0)
      compact_row_major((4,0))        | 19 | takes extents of at least 1 as 'shape', got (4,0)
      compact_order(-4, 0)            | 15 | takes extents of at least 1 as 'shape', got -4
      idx2crd(3, (0,2))               | 12 | takes extents of at least 1 as 'shape', got (0,2)
      crd2idx(3, -2, 1)               | 12 | takes extents of at least 1 as 'shape', got -2
      crd2crd(3, 4, -2)               | 15 | takes extents of at least 1 as 'to', got -2
      increment(3, 0)                 | 14 | takes extents of at least 1 as 'shape', got 0
      repeat_like(4, (1,2))           | 16 | takes one integer as 'value', got (1,2)
      repeat_like(4:1, 2)             | 13 | takes integers as 'guide', got 4:1
      slice(4:1, 4:1)                 | 7  | takes integers and _ as 'coordinate', got 4:1
      composition(4:1, 1@0)           | 18 | takes a layout, or a tiler with extents of at least 1 as 'inner', got 1@0
      layout_from_table(0, 4:1)       | 22 | takes integers as 'offset', got 4:1
      composition(4:1)                | 1  | composition(outer, inner) got 1 operand
      composition(4:1, 4, 4:2)        | 1  | composition(outer, inner) got 3 operands
      select(4:1)                     | 1  | select(layout, mode…) got 1 operand
      append<1025>((4,2), 1)          | 8  | takes a rank of at most 1024 as 'rank', got 1025
      """)
  void namesTheOperandWhatItHasToBeAndWhatItIs(String text, int column, String reason) {
    var e = assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
    assertEquals("column " + column + ": ", e.getMessage().substring(0, e.getMessage().indexOf(':') + 2));
    assertEquals(column - 1, e.position());
    assertTrue(e.getMessage().endsWith(reason), e.getMessage());
  }

  @Test
  void aValueOfMoreThan60CharactersIsCut() {
    var sixty = "(" + "1,".repeat(28) + "11)";
    assertTrue(refusal("repeat_like(4, " + sixty + ")").getMessage().endsWith("got " + sixty));
    var longer = "(" + "1,".repeat(28) + "111)";
    assertTrue(refusal("repeat_like(4, " + longer + ")").getMessage().endsWith("got " + longer.substring(0, 60) + "…"));
  }

  @Test
  void whatWouldHaveToHoldIsKnownApartFromTheMessage() {
    assertEquals("operations have as many operands as they take", refusal("size()").condition());
    assertEquals("operands have the kinds that the operation takes", refusal("size(_)").condition());
    var undefined = refusal("size(tile_to_shape(8:1, 12))");
    assertEquals("each mode of the block divides the target's", undefined.condition());
    assertEquals(5, undefined.position());
    assertEquals("column 6: " + ((UndefinedOperationException) undefined.getCause()).reason().message(),
        undefined.getMessage());
    assertTrue(refusal("size()").witness().isEmpty());
  }

  private static ExpressionException refusal(String text) {
    return assertThrows(ExpressionException.class, () -> Expression.parse(text).evaluate());
  }
}
