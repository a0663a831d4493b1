package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.Decision;

/** Compositions of empty, huge and many modes, and where a table of offsets is asked. */
class CompositionBoundsTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (2,2):(1,5)        | ((2,0),3):((1,2),7) | ((2,0),3):((0,0),0)
      (2,0):(1,5)        | 4:1                 | (2,2):(1,5)
      (2,3,4):(1,5,12)   | 4:3                 | 4:6
      (2,2,2):(1,3,5)    | (2,2):(1,3)         | (2,2):(1,4)
      (1,1):(7,3)        | 4:2                 | 4:6
      (4,2):(1,8)        | (1,2):(3,1)         | (1,2):(0,1)
      (2,4):(1,3)        | (1,2):(-1,1)        | (1,2):(0,1)
      (1099511627776,1099511627776,2):(1,0,1) | 2:1 | 2:1
      (4,2):(1,8) | (2,2,1,1,1,1,1,2):(1,2,0,0,0,0,0,4) | (2,2,1,1,1,1,1,2):(1,2,0,0,0,0,0,8)
      (256,2):(1,512) | (2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128) | (2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128)
      (256,2):(1,512) | (2,2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128,256) \
      | (2,2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128,512)
      """)
  void areDefined(String outer, String inner, String result) {
    assertEquals(Layout.parse(result), Layout.parse(outer).composition(Layout.parse(inner)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (0,2):(1,2)     | 2:1                     | no mode of the left operand but the last is empty
      (2,4):(1,3)     | (2,2):(1,-1)            | mode 1: got -1
      (2,2,2):(1,3,9) | (2,2):(2,2)             | digit 1 of the coalesced left operand has extent 2
      (2,3):(1,9)     | (2,3):(2,1)             | 3:1 counts by 1 without a carry 2 times
      (2147483647,4294967296,2):(1,5,7) | 3:4611686016279904256 | without a carry 2 times
      """)
  void areRefusedForTheReasonThere(String outer, String inner, String reason) {
    var decision = Composition.of(Layout.parse(outer), Layout.parse(inner));
    var refused = assertInstanceOf(Decision.Undefined.class, decision);
    assertTrue(refused.message().contains(reason), refused.message());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (2,2,2):(1,3,5)  | (2,2,33554432):(1,1,0) | only the second gap, out of reach, is positive
      (2,2,2):(1,1,1)  | (2,2,33554432):(1,1,0) | all gaps are positive
      (2,2,2):(1,4,16) | (2,2,33554432):(1,1,0) | all gaps are negative
      (2,2,2):(1,3,5)  | (4096,4096):(1,1)      | the largest table
      """)
  void aCarryThatNothingCancelsShowsItselfInAnySize(String outer, String inner) {
    var refused = assertInstanceOf(Decision.Undefined.class, Composition.of(Layout.parse(outer), Layout.parse(inner)));
    assertTrue(refused.witness().isPresent(), refused.message());
  }

  @Test
  void aTableBeyondSixteenMillionOffsetsIsRefused() {
    var decision = Composition.of(Layout.parse("(2,2,2):(1,3,5)"), Layout.parse("(4096,4097):(1,1)"));
    var refused = assertInstanceOf(Decision.Undefined.class, decision);
    assertTrue(refused.message().contains("it has " + 4096 * 4097), refused.message());
  }

  @Test
  void theStrictDialectNamesTheFirstCoordinateOutside() {
    var strict = strict();
    var layout = Layout.parse("(2,3):(1,2)");
    assertInstanceOf(Decision.Defined.class, Composition.of(layout, Layout.parse("(2,3):(0,2)"), strict));
    assertInstanceOf(Decision.Defined.class, Composition.of(layout, Layout.parse("(2,0):(9,2)"), strict));
    var beyond = Composition.of(layout, Layout.parse("(2,4):(0,2)"), strict);
    assertTrue(assertInstanceOf(Decision.Undefined.class, beyond).message()
        .contains("its coordinate (0,3) has offset 6, outside 0…5"));
    var below = Composition.of(Layout.parse("6:1"), Layout.parse("(3,2):(-1,0)"), strict);
    assertTrue(assertInstanceOf(Decision.Undefined.class, below).message()
        .contains("its coordinate (2,0) has offset -2, outside 0…5"));
  }

  private static Dialect strict() {
    var cpp = Dialect.CUTE_CPP;
    return new Dialect(Dialect.Domain.STRICT, cpp.shortTiler(), cpp.emptyComplement(), cpp.rightInverse(),
        cpp.unitStride(), cpp.freeMode());
  }
}
