package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplanationTest {

  /** Facts worked by hand; each must be a line. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      blocked_product((2,5):(5,1), (3,4):(1,3))   | room for copies: A* = complement(A, 10·12) = 12:10
      blocked_product((2,5):(5,1), (3,4):(1,3))   | mode 1: (mode of A, copies) = (5,4):(1,30)
      raked_product(4:1, (3,4):(1,3))             | with modes 1:0 up to rank 2: A = (4,1):(1,0), B = (3,4):(1,3)
      raked_product(4:1, (3,4):(1,3))             | mode 0: (copies, mode of A) = (3,4):(4,1)
      tile_to_shape((8,8):(8,1), (16,32), (1,0))  | mode 1: 32 / 8 = 4 copies
      tile_to_shape((8,8):(8,1), (16,32), (1,0))  | blocked_product(A, B) with A = (8,8):(8,1), B = (2,4):(4,1), that is
      tile_to_shape(8:1, 12)                      | found: 8 does not divide 12
      zipped_product((2,3):(1,2), [2;2])          | room for copies: A* = complement(A, 3·2) = 2:1
      max_common_layout(16:1, ((2,2),4):((1,8),2)) | offset 2: A has it at index 2, B at index 4
      max_common_vector(8:1, 16:1)                | no longer: A‡ ends there
      right_inverse((4,8):(8,1))                  | offsets t·8 for t below 4 are at indices t·1: A(1) = 8
      right_inverse((4,8):(8,1))                  | R ends at offset 32: A(R(i)) is i for each i below 32
      quasi_inverse((2,2):(1,1))                  | no left inverse: indices 1 and 2 have offset 1
      """)
  void statesTheFactsBehindAValue(String text, String fact) {
    var explanation = Expression.parse(text).explain();
    var lines = explanation.steps().getLast().because().stream().map(String::strip).toList();
    assertTrue(lines.contains(fact), explanation.toText());
  }
}
