package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;

/** Right inverses of layouts whose indices share offsets, and why such layouts have no left inverse. */
class RightInverseTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (2,3):(2,1)   | (2,2):(2,1)
      (3,2):(1,1)   | (2,2):(1,4)
      (2,2,3):(1,1,2) | (2,3):(1,4)
      (4,8):(8,1)   | (8,4):(4,1)
      4:2           | 1:0
      """)
  void isTheLongest(String layout, String inverse) {
    assertEquals(Layout.parse(inverse), Layout.parse(layout).rightInverse());
  }

  @Test
  void noLayoutIsALongerOne() {
    Layouts.each(2, 3, 4, layout -> {
      var decision = assertInstanceOf(Decision.Defined.class, Inverse.right(layout));
      assertTrue(decision.certificate().holds(), layout::toString);
      var inverse = layout.rightInverse();
      for (long i = 0; i < inverse.size(); i++) {
        assertTrue(inverse.apply(i) < layout.size());
        assertEquals(i, layout.apply(inverse.apply(i)));
      }
      assertEquals(longest(layout, List.of(0L)), inverse.size(), layout::toString);
    });
  }

  /** Tries every stride and every extent for each further mode of an inverse that leads to these places. */
  static int longest(Layout layout, List<Long> places) {
    int best = places.size();
    for (long stride = 1; stride < layout.size(); stride++) {
      var longer = new ArrayList<>(places);
      boolean undoes = true;
      for (long digit = 1; undoes; digit++) {
        for (long place : places) {
          long index = place + digit * stride;
          undoes &= index < layout.size() && layout.apply(index) == longer.size();
          longer.add(index);
        }
        if (undoes) best = Math.max(best, longest(layout, List.copyOf(longer)));
      }
    }
    return best;
  }

  @ParameterizedTest
  @ValueSource(strings = {"(2,2):(1,1)", "(3,2):(1,2)", "(4,3):(1,0)", "((2,3),2):((0,1),1)"})
  void twoIndicesOfOneOffsetShowThatThereIsNoLeftInverse(String text) {
    var layout = Layout.parse(text);
    var undefined = assertInstanceOf(Decision.Undefined.class, Inverse.left(layout));
    var witness = (Witness) undefined.witness().orElseThrow();
    assertTrue(witness.given() < witness.index() && witness.index() < layout.size());
    assertEquals(layout.apply(witness.given()), layout.apply(witness.demanded()));
    assertEquals(witness.index(), witness.demanded());
  }

  @Test
  void beyondTheLargestSearchTheChainOfStridesIsGiven() {
    assertEquals(2050, Layout.parse("(2,2048):(2,1)").rightInverse().size());
    assertEquals(Layout.parse("3000:2"), Layout.parse("(2,3000):(2,1)").rightInverse());
  }

  @Test
  void anEmptyLayoutHasTheEmptyOne() {
    assertEquals(0, Layout.parse("(3,0):(1,3)").rightInverse().size());
  }
}
