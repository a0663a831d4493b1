package tilewright.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.expression.Expression;
import tilewright.layout.f2.Swizzle;

class SwizzleTextTest {
  private static final Swizzle OTHER = new Swizzle(2, 1, -3);

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(8,8):(8,1)|Sw<2,1,-3> o 0 o (8,8):(8,1)",
      "4:1 ∘ 2:1|Sw<2,1,-3> o 0 o (4:1 ∘ 2:1)",
      "Sw<3,0,3> o 0 o (8,8):(8,1)|Sw<2,1,-3> o 0 o (8,8):(8,1)",
      "composition(Swizzle< 3 , 4 ,3>, (8,8):(8,1))|composition(Sw<2,1,-3>, (8,8):(8,1))"})
  void aSwizzleIsReplacedOrPutInFront(String expression, String expected) {
    assertEquals(expected, SwizzleText.with(expression, OTHER));
    Expression.parse(expected);
  }

  @Test
  void theFirstSwizzleIsFound() {
    assertEquals(Optional.of(new Swizzle(3, 4, -3)), SwizzleText.first("f(S<3,4,-3>, Sw<1,1,1>)"));
    assertEquals(Optional.empty(), SwizzleText.first("Sw<3,4,2>"));
    assertEquals(Optional.empty(), SwizzleText.first("Sw<3,4,99999999999>"));
    assertEquals(Optional.empty(), SwizzleText.first("Layout<3,4,3>"));
  }

  @Test
  void aSwizzleInFrontIsTakenAway() {
    assertEquals("(8,8):(8,1)", SwizzleText.without(" Sw<3,0,3>o0o(8,8):(8,1)"));
    assertEquals("size(Sw<3,0,3>o0o8:1)", SwizzleText.without("size(Sw<3,0,3>o0o8:1)"));
  }

  @ParameterizedTest
  @CsvSource({"3,2,5, 3,2,5", "3,2,-4, 3,2,-4", "3,2,1, 3,2,3", "3,2,-1, 3,2,-3", "2,0,0, 2,0,2", "0,0,0, 0,0,0"})
  void theShiftIsAtLeastAsWideAsTheField(int b, int m, int s, int bits, int base, int shift) {
    assertEquals(new Swizzle(bits, base, shift), SwizzleText.legal(b, m, s));
  }
}
