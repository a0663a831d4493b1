package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperationNamesTest {

  @Test
  void everyOperationHasANameOfItsOwnAndALine() {
    var operations = Operations.groups().stream().flatMap(group -> group.operations().stream()).toList();
    assertTrue(operations.size() > 100, () -> operations.size() + " operations");
    assertEquals(operations.size(), operations.stream().map(Operation::name).distinct().count());
    for (var operation : operations) {
      assertTrue(operation.signature().startsWith(operation.name() + "("), operation.signature());
      var line = operation.description();
      assertFalse(line.isBlank() || line.length() > 100 || line.endsWith("."), operation.name());
    }
  }

  /** Up to a third of the letters may be wrong, one in any case; of several names the first in the alphabet. */
  @ParameterizedTest
  @CsvSource({"sise, size", "siz, size", "sizee, size", "rnk, rank", "gcb, gcd", "xsize, size", "elem_gxx, elem_geq",
      "comlement, complement", "kompozition, composition", "blockedproduct, blocked_product"})
  void aNameWithFewWrongLettersIsTakenForTheClosest(String name, String closest) {
    var message = refusal(name);
    assertTrue(message.endsWith("no operation is called " + name + "; did you mean " + closest + "?"), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"less", "getxx", "xxget", "q", "sixes", "product_of_all", "resize_all"})
  void nothingIsSuggestedFarFromEveryName(String name) {
    assertEquals("column 1: no operation is called " + name, refusal(name));
  }

  @Test
  void longNamesAreCut() {
    assertEquals("column 1: no operation is called " + "x".repeat(40), refusal("x".repeat(40)));
    assertEquals("column 1: no operation is called " + "x".repeat(40) + "…", refusal("x".repeat(41)));
  }

  private static String refusal(String name) {
    return assertThrows(ExpressionException.class, () -> Expression.parse(name + "(4)").evaluate()).getMessage();
  }
}
