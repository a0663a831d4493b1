package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.syntax.LayoutSyntaxException;

class NotationTest {

  @ParameterizedTest
  @ValueSource(strings = {"4:1", "(4):(1)", "(4,(2,2)):(1,(4,8))", "():()", "(3,1):(-1,0)",
      "Sw<3,4,3>o0o(8,64):(64,1)"})
  void layoutsAreReadAndPrintedAlike(String text) {
    assertEquals(text, OffsetMap.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"[4:1;(2,2):(2,1)]", "[4:1;_]", "[[2:1;3:2];_]"})
  void tilersAreReadAndPrintedAlike(String text) {
    assertEquals(text, Tiler.parse(text).toString());
  }

  @Test
  void anglesAndBracketsAreTheSameTiler() {
    assertEquals(Tiler.parse("[4:1;_]"), Tiler.parse("<4:1;_>"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(4,2:1|7|')'", "4:|3|an integer", "(4,2):(1)|6|strides with the tree of (4,2)", "4:1x|4|the end",
      "(4,,2):(1,2,3)|4|an integer",
      "99999999999999999999:1|1|at most 64 bits", "Sw<3,4,1>o0o8:1|1|a legal swizzle", "-4:1|1|extents of at least 0"})
  void mistakesAreNamedWithTheirPosition(String text, int position, String expected) {
    var e = assertThrows(LayoutSyntaxException.class, () -> OffsetMap.parse(text));
    assertTrue(e.getMessage().startsWith("column " + position + " "), e.getMessage());
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  @Test
  void aMistakeInALongTextShowsOnlyWhatIsAroundIt() {
    var text = "(" + "1,".repeat(9000) + "x" + ",1".repeat(9000);
    var e = assertThrows(LayoutSyntaxException.class, () -> Layout.parse(text));
    assertEquals(18_001, e.position());
    assertTrue(e.getMessage().length() < 200, e.getMessage());
    var control = assertThrows(LayoutSyntaxException.class, () -> Layout.parse("4\u0007"));
    assertTrue(control.getMessage().endsWith("found '\\u0007'"), control.getMessage());
  }

  @Test
  void endlessNestingIsRefusedNotOverflowed() {
    assertThrows(LayoutSyntaxException.class, () -> Layout.parse("(".repeat(100_000)));
  }

  @Test
  void offsetsBeyond64BitsAreAnErrorNotAWrap() {
    var huge = Layout.parse("(4,4):(4611686018427387904,1)");
    assertThrows(ArithmeticException.class, () -> huge.apply(3));
  }
}
