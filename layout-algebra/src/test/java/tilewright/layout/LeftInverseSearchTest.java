package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;

/** Left inverses that no chain of strides gives. */
class LeftInverseSearchTest {

  @ParameterizedTest
  @ValueSource(strings = {"(2,3):(3,2)", "(5,4):(14,25)", "(2,12,2):(33,30,11)", "(((3,16)),2):(((4,27)),13)"})
  void anInjectiveLayoutOffTheChainHasALeftInverse(String text) {
    var layout = Layout.parse(text);
    var decision = assertInstanceOf(Decision.Defined.class, Inverse.left(layout));
    assertTrue(decision.certificate().holds());
    for (long i = 0; i < layout.size(); i++) assertEquals(i, layout.leftInverse().apply(layout.apply(i)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"(2,2):(1,1)", "(3,2):(1,2)", "(4,4):(-1,4)", "(4,12):(8,10)", "(4097,2):(2,3)"})
  void refusesTheOthers(String text) {
    var undefined = assertInstanceOf(Decision.Undefined.class, Inverse.left(Layout.parse(text)));
    assertTrue(undefined.message().contains(text), undefined.message());
  }

  @Test
  void saysWhenTheSearchIsTooLong() {
    var layout = Layout.parse("(3,3,9):(1719,550,2236)");
    var undefined = assertInstanceOf(Decision.Undefined.class, Inverse.left(layout));
    assertTrue(undefined.message().contains("undecided"), undefined.message());
  }
}
