package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tilewright.layout.decision.Decision;

/** A right operand that counts backwards. */
class NegativeStrideCompositionTest {

  @Test
  void aLayoutOfOneModeMultipliesEveryStride() {
    var result = Layout.parse("(4,4):(2,8)").composition(Layout.parse("(3,2):(-1,5)"));
    assertEquals(Layout.parse("(3,2):(-2,10)"), result);
  }

  @Test
  void severalModesHaveNoDigitsForANegativeIndex() {
    var decision = Composition.of(Layout.parse("(4,4):(1,8)"), Layout.parse("4:-1"));
    var undefined = assertInstanceOf(Decision.Undefined.class, decision);
    assertTrue(undefined.message().contains("got -1"), undefined.message());
  }
}
