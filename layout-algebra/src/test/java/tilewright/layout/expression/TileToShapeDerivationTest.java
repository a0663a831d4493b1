package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static tilewright.layout.expression.Explain.assertLines;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Dialect;

/** Derivations worked by hand: copies of the block in each mode, then a blocked product. */
class TileToShapeDerivationTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      tile_to_shape((8,8):(8,1), (16,32))        | 16 / 8 = 2 | 32 / 8 = 4 | (8,8):(8,1) | (2,4):(1,2)
      tile_to_shape((8,8):(8,1), (16,32), (1,0)) | 16 / 8 = 2 | 32 / 8 = 4 | (8,8):(8,1) | (2,4):(4,1)
      tile_to_shape(4:1, (8,3))                  | 8 / 4 = 2  | 3 / 1 = 3  | 4:1         | (2,3):(1,2)
      tile_to_shape((4,1):(1,0), 8)              | 8 / 4 = 2  | 1 / 1 = 1  | (4,1):(1,0) | (2,1):(1,0)
      """)
  void eachModeIsRepeatedAsOftenAsItFits(String text, String mode0, String mode1, String block, String tiles) {
    var lines = Explain.lines(text, Dialect.CUTE_CPP);
    assertEquals(List.of("mode 0: " + mode0 + " copies", "mode 1: " + mode1 + " copies",
        "blocked_product(A, B) with A = " + block + ", B = " + tiles + ", that is"), lines.subList(0, 3));
  }

  @Test
  void theBlockedProductFollows() {
    assertLines("""
        mode 0: 4 / 2 = 2 copies
        blocked_product(A, B) with A = 2:1, B = (2):(1), that is
        logical_product(A, B), that is
          A = 2:1 of size 2; B = (2):(1) of cosize 2
          room for copies: A* = complement(A, 2·2) = 2:2
          beside A, its copies: A* ∘ B, that is
            A = 2:2; B = (2):(1)
            leaf 2:1: A at 0,1 is 0,2, that is 2:2
            R = (2):(2), for …
        mode 0: (mode of A, copies) = (2,2):(1,2)""", "tile_to_shape(2:1, 4)");
  }

  @Test
  void theFirstModeThatDoesNotFitIsNamed() {
    assertLines("""
        mode 0: 4 / 2 = 2 copies
        needed: …
        at mode 1
        found: 8 does not divide 12""", "tile_to_shape((2,8):(1,2), (4,12))");
  }
}
