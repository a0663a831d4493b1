package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;

/** A composition whose right operand leaves the left one's domain is refused with a coordinate that leaves it. */
class DomainWitnessTest {
  private static final Dialect STRICT = Dialect.CUTE_CPP.with(Dialect.Domain.STRICT);

  @Test
  void aStrictDialectRefusesExactlyWhatLeavesTheDomainAndShowsWhere() {
    var outer = Layout.of(6, 2);
    int[] refusals = new int[1];
    for (long stride = -2; stride <= 3; stride++) {
      var first = Layout.of(3, stride);
      Layouts.each(2, 3, 3, rest -> {
        var inner = Layout.of(first, rest);
        boolean inside = Arrays.stream(inner.offsets()).allMatch(x -> 0 <= x && x < 6);
        var decision = Composition.of(outer, inner, STRICT);
        assertEquals(inside, decision instanceof Decision.Defined, inner::toString);
        if (decision instanceof Decision.Undefined<Layout> refused) {
          refusals[0]++;
          var witness = refused.witness().orElseThrow();
          assertEquals(inner.coordinate(witness.index()), witness.coordinate());
          assertEquals(inner.apply(witness.coordinate()), witness.given());
          assertTrue(witness.index() >= 0 && witness.index() < inner.size());
          assertTrue(witness.given() < 0 || witness.given() >= 6);
          assertEquals(witness.given() < 0 ? 0 : 5, witness.demanded());
        }
      });
    }
    assertTrue(refusals[0] > 100);
  }

  /** Index −1 of (4,4):(1,8) is −1 where quotients round towards 0, as in C++, and 3 − 8 where they round down. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4,4):(1,8)     | 4:-1            | 0 | 1 | -1
      (4,4):(1,8)     | (2,3):(1,-2)    | 1 | 2 | -2
      (4,4):(1,8)     | (2,(3,2)):(1,(1,-5)) | 1 | 6 | -5
      (2,2,4):(1,5,7) | (1,2,2):(-1,0,-3)    | 2 | 2 | -3
      """)
  void severalModesShowWhereTheRightOperandIsNegative(String left, String right, int mode, long index, long given) {
    var inner = Layout.parse(right);
    var refused = assertInstanceOf(Decision.Undefined.class, Composition.of(Layout.parse(left), inner));
    var witness = (Witness) refused.witness().orElseThrow();
    assertEquals(OptionalInt.of(mode), refused.mode());
    assertEquals(new Witness(inner.coordinate(index), index, 0, given), witness);
    assertEquals(given, inner.apply(witness.coordinate()));
  }
}
