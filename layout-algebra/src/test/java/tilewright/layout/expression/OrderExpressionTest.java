package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The orders by their definitions, on all pairs of small tuples. */
class OrderExpressionTest {
  private static final int MOST = 2;

  @ParameterizedTest
  @ValueSource(strings = {"less", "leq", "gtr", "geq"})
  void eachNameIsTheRelationOfItsOrder(String relation) {
    for (int a = 0; a <= MOST; a++) {
      for (int b = 0; b <= MOST; b++) {
        for (int c = 0; c <= MOST; c++) {
          for (int d = 0; d <= MOST; d++) {
            var operands = "_" + relation + "((" + a + "," + b + "),(" + c + "," + d + "))";
            assertEquals(holds(relation, a, c) && holds(relation, b, d), value("elem" + operands), operands);
            assertEquals(holds(relation, 10 * a + b, 10 * c + d), value("lex" + operands), operands);
            assertEquals(holds(relation, 10 * b + a, 10 * d + c), value("colex" + operands), operands);
          }
        }
      }
    }
  }

  private static boolean holds(String relation, int left, int right) {
    return switch (relation) {
      case "less" -> left < right;
      case "leq" -> left <= right;
      case "gtr" -> left > right;
      default -> left >= right;
    };
  }

  private static boolean value(String text) {
    return ((Value.Truth) Expression.parse(text).evaluate()).holds();
  }
}
