package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;

/** A(Q(A(i))) = A(i), by the tables. */
class QuasiInverseTest {

  @ParameterizedTest
  @ValueSource(strings = {"4:0", "(2,2):(1,1)", "(3,2):(1,2)", "(63,2):(1,1)", "((2,2),(2,4)):((0,2),(0,4))",
      "(((1,6)),2,8):(((32,3)),13,1)", "(4,8):(1,5)"})
  void returnsToEachOffset(String text) {
    var layout = Layout.parse(text);
    var defined = assertInstanceOf(Decision.Defined.class, QuasiInverse.of(layout));
    var quasi = layout.quasiInverse();
    for (long i = 0; i < layout.size(); i++) {
      assertEquals(layout.apply(i), layout.apply(quasi.apply(layout.apply(i))), text + " at " + i);
    }
    assertTrue(defined.certificate().holds());
  }

  @Test
  void isTheLeftInverseWhereThereIsOne() {
    var layout = Layout.parse("(4,8):(8,1)");
    assertEquals(layout.leftInverse(), layout.quasiInverse());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (2,2):(-1,-1)   | offsets are at least 0
      (5000,2):(1,1)  | at most 4096 elements
      """)
  void saysWhatItNeeds(String text, String condition) {
    var undefined = assertInstanceOf(Decision.Undefined.class, QuasiInverse.of(Layout.parse(text)));
    assertTrue(undefined.message().contains(condition), undefined.message());
  }
}
