package tilewright.layout.tuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Layout;
import tilewright.layout.ShapeDivision;
import tilewright.layout.decision.Decision;

class TupleArithmeticTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "17|(2,2)|5", "(12,32)|32|(1,11)", "((4,6),8)|5|((1,3),8)", "(((6,16)),1)|((2),6)|(((3,16)),1)",
      "(2,3,2,2)|(9,1)|(1,3,2,2)", "()|()|()", "()|4|()", "5|()|5"})
  void ceilDivSpreadsAnIntegerDivisorFromLeftToRight(String a, String b, String quotient) {
    assertEquals(tuple(quotient), TupleArithmetic.ceilDiv(tuple(a), tuple(b)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(5,16)|(5,1):(1,5)|16", "(5,5)|16:3|3", "(5,5)|4:3|(3,2)", "8|(2,5,2):(2,12,120)|(2,3,2)", "(8,4,3,2)|5:1|48"})
  void ceilDivByALayoutCountsItsTiles(String target, String tiler, String tiles) {
    assertEquals(tuple(tiles), ShapeDivision.ceilDiv(tuple(target), Layout.parse(tiler)).orElseThrow());
  }

  @Test
  void ceilDivByALayoutThatDoesNotTileIsUndefined() {
    assertInstanceOf(Decision.Undefined.class, ShapeDivision.ceilDiv(tuple("(4,8)"), Layout.parse("(2,2):(2,3)")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"8|39|39", "17|(2,2)|20", "(5,7)|(4,3)|(8,9)", "(5,(3,2))|(2)|(6,(3,2))"})
  void roundUpReachesTheNextMultiple(String a, String b, String rounded) {
    assertEquals(tuple(rounded), TupleArithmetic.roundUp(tuple(a), tuple(b)));
  }

  @Test
  void roundingATupleToAnIntegerIsRefusedWithTheWayOut() {
    var e = assertThrows(IllegalArgumentException.class, () -> TupleArithmetic.roundUp(tuple("(3,4)"), tuple("2")));
    assertTrue(e.getMessage().contains("(2)"), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(4,5,6)|40|(1,1,3)", "(4,6)|8|(1,3)", "12|(2,3)|2", "3|6|1", "(12,6)|(4,3)|(3,2)",
          "((4,6),8)|((2,3),16)|((2,2),1)", "1|4|1",
      "4|1|4", "1|1|1"})
  void shapeDivIsExact(String a, String b, String quotient) {
    var defined = assertInstanceOf(Decision.Defined.class, ShapeDivision.of(tuple(a), tuple(b)));
    assertEquals(tuple(quotient), defined.result());
    assertTrue(defined.certificate().holds(), defined.certificate().explain());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"(6,4)|4|6 and 4", "2|3|2 and 3", "48|(6,3)|48 and 18", "0|2|0 / 2", "4|0|4 / 0"})
  void shapeDivNamesTheIntegersThatDoNotDivide(String a, String b, String numbers) {
    var undefined = assertInstanceOf(Decision.Undefined.class, ShapeDivision.of(tuple(a), tuple(b)));
    assertEquals(numbers, undefined.numbers());
  }

  @Test
  void productsAreTakenByModeByGuideAndFromEitherSide() {
    var a = tuple("(2,(3,4),5)");
    assertEquals(tuple("(2,12,5)"), TupleArithmetic.productEach(a));
    assertEquals(tuple("(2,(3,4),5)"), TupleArithmetic.productLike(a, tuple("(0,(0,0),0)")));
    assertEquals(tuple("(2,12,5)"), TupleArithmetic.productLike(a, tuple("(0,0,0)")));
    assertEquals(tuple("120"), TupleArithmetic.productLike(a, tuple("7")));
    assertEquals(tuple("(1,(2,6),24)"), TupleArithmetic.prefixProduct(a));
    assertEquals(tuple("(60,(20,5),1)"), TupleArithmetic.suffixProduct(a));
    assertEquals(tuple("(7,(1,3),2)"), TupleArithmetic.prefixProduct(a, tuple("(7,1,2)")));
    assertEquals(tuple("(7,(4,1),2)"), TupleArithmetic.suffixProduct(a, tuple("(7,1,2)")));
  }

  @Test
  void sumsAndExtremaRangeOverAllIntegers() {
    var a = tuple("(6,(-4,10),())");
    assertEquals(12, TupleArithmetic.sum(a));
    assertEquals(10, TupleArithmetic.max(a));
    assertEquals(-4, TupleArithmetic.min(a));
    assertEquals(2, TupleArithmetic.gcd(a));
    assertEquals(0, TupleArithmetic.sum(tuple("()")));
    assertEquals(0, TupleArithmetic.gcd(tuple("()")));
    assertEquals(6 * 2 + -4 * 3 + 10 * 5, TupleArithmetic.innerProduct(a, tuple("(2,(3,5),())")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"()", "((),())"})
  void withoutIntegersThereIsNoMaximum(String empty) {
    assertThrows(IllegalArgumentException.class, () -> TupleArithmetic.max(tuple(empty)));
    assertThrows(IllegalArgumentException.class, () -> TupleArithmetic.min(tuple(empty)));
  }

  @Test
  void elemScaleMultipliesBySizes() {
    assertEquals(tuple("(6,28,24)"), TupleArithmetic.elemScale(tuple("(6,4,3)"), tuple("(1,7,(2,4))")));
    assertThrows(IllegalArgumentException.class, () -> TupleArithmetic.elemScale(tuple("(3,2)"), tuple("4")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"(4,6)|8|true", "(4,6)|3|false", "(16,2)|(8)|true", "(4,6)|(2,2,2)|false", "8|5|false",
      "8|(8)|false", "((6),2,6)|2|true"})
  void evenlyDividesFoldsLikeTheQuotient(String a, String b, boolean evenly) {
    assertEquals(evenly, TupleArithmetic.evenlyDivides(tuple(a), tuple(b)));
  }

  @Test
  void weakCongruenceLetsAnIntegerStandForATuple() {
    assertTrue(tuple("(2,5)").isWeaklyCongruentTo(tuple("(2,(3,5))")));
    assertFalse(tuple("(2,(3,5))").isWeaklyCongruentTo(tuple("(2,15)")));
    assertFalse(tuple("(2)").isWeaklyCongruentTo(tuple("(2,3)")));
  }

  @Test
  void beyond64BitsIsAnErrorNotAWrap() {
    var huge = tuple("(4611686018427387904,2)");
    assertThrows(ArithmeticException.class, huge::size);
    assertThrows(ArithmeticException.class, () -> TupleArithmetic.elemScale(huge, huge));
    assertThrows(ArithmeticException.class, () -> TupleArithmetic.sum(tuple("(9223372036854775807,1)")));
    assertThrows(ArithmeticException.class, () -> TupleArithmetic.roundUp(tuple("9223372036854775807"), tuple("2")));
  }

  @Test
  void shapeDivLeafByLeafNeedsTuplesOfOneRank() {
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> ShapeDivision.of(tuple("(4,6)"), tuple("(2,3,1)")));
    assertTrue(refusal.getMessage().contains("are not tuples of one rank"), refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"6|(2,3)|true", "6|(2,4)|false", "(2,6)|(2,(2,3))|true",
      "(2,6)|(2,(2,2))|false", "(2,3)|6|false", "(2,3)|(2,3,1)|false", "(3,2)|(2,3)|false", "((2),3)|(2,3)|false"})
  void aShapeIsCompatibleWithThoseThatCutItsIntegers(String coarse, String fine, boolean compatible) {
    assertEquals(compatible, tuple(coarse).isCompatibleWith(tuple(fine)));
  }

  private static IntTuple tuple(String text) {
    return IntTuple.parse(text);
  }
}
