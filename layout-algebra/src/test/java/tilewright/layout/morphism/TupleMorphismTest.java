package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Layout;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.tuple.IntTuple;

/** How morphisms are written, what is none, and what they realise. */
class TupleMorphismTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "5→(4,(5),2):(2)                 | 5:4",
      "(2,3)→(3,2):(2,1)               | (2,3):(3,1)",
      "(3,(8,8,2))->(5,6,(8,2),8):(0,5,3,4) | (3,(8,8,2)):(0,(480,30,240))",
      "()→():()                        | ():()",
      "(1,2)→(2,1,6):(0,1)             | (1,2):(0,1)",
      "(2)→(4):(0)                     | (2):(0)"})
  void aMorphismRealisesALayout(String morphism, String layout) {
    assertEquals(Layout.parse(layout), TupleMorphism.parse(morphism).layout());
  }

  @Test
  void whatIsPrintedIsDomainCodomainAndPositions() {
    var f = TupleMorphism.of(IntTuple.parse("(2,(3,4))"), IntTuple.parse("((4,2),5)"), 2, 0, 1);
    assertEquals("(2,(3,4))→((4,2),5):(2,0,1)", f.toString());
    assertEquals(24, f.size());
    assertEquals(40, f.cosize());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
      "(2,3)→(3,2):(2)     | (2,3)→(3,2) needs a position for each of 2 integers of the domain, got (2)",
      "(2,3)→(3,2):(2,3)   | position 3 is outside (3,2): positions are 1 to 2, and 0 for none",
      "(2,3)→(3,2):(-1,1)  | position -1 is outside (3,2): positions are 1 to 2, and 0 for none",
      "(2,2)→(2,2):(1,1)   | position 1 is taken twice in (1,1): let all but one be 0",
      "(2,3)→(3,2):(1,2)   | (2,3)→(3,2) sends extent 2 to position 1 with extent 3: extents must be equal",
      "(2,0)→(2):(1,0)     | extent 0 in (2,0): extents are at least 1",
      "2→(2,-3):(1)        | extent -3 in (2,-3): extents are at least 1",
      "2→2:1               | positions 1 are not a flat tuple: write one position for each integer of the domain,"
          + " such as (2,1)",
      "(2)→(2):(4294967297) | position 4294967297 is outside every codomain",
      "(2,3):(3,1)         | '(2,3):(3,1)' is no tuple morphism: write domain→codomain:positions,"
          + " such as (2,3)→(3,2):(2,1)",
      "2→2                 | '2→2' is no tuple morphism: write domain→codomain:positions,"
          + " such as (2,3)→(3,2):(2,1)"})
  void whatIsNoMorphismIsRefusedWithTheReason(String text, String message) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, () -> TupleMorphism.parse(text)).getMessage());
  }

  @Test
  void aMalformedTupleIsRefusedByTheTupleNotation() {
    assertThrows(LayoutSyntaxException.class, () -> TupleMorphism.parse("(2,→(2):(1)"));
  }

  @Test
  void theMapIsCopied() {
    var map = new ArrayList<>(List.of(1));
    var f = new TupleMorphism(IntTuple.of(2), IntTuple.of(2), map);
    map.set(0, 0);
    assertEquals(List.of(1), f.map());
  }

  @Test
  void aStrideBeyond64BitsIsAnError() {
    long large = 1L << 32;
    var f = TupleMorphism.of(IntTuple.flat(large, 2), IntTuple.flat(large, large, 2), 1, 3);
    assertThrows(ArithmeticException.class, f::layout);
    var g = TupleMorphism.of(IntTuple.flat(large, large), IntTuple.flat(large, large, 2), 1, 2);
    assertEquals(Layout.parse("(4294967296,4294967296):(1,4294967296)"), g.layout(), "only what is needed");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      // morphism | total | degenerate | sorted | coalesced | standard
      "(2,3)→(2,3):(1,2)         | true  | false | true  | false | true",
      "(2,3)→(3,2):(2,1)         | true  | false | false | true  | true",
      "(3,2)→(5,3,2,2):(2,4)     | true  | false | true  | true  | true",
      "(3,2)→(5,2,3,2):(3,4)     | true  | false | true  | false | false",
      "(2,3)→(2,7):(1,0)         | false | false | false | true  | false",
      "(4,2)→():(0,0)            | false | false | false | false | true",
      "(2,4)→():(0,0)            | false | false | true  | false | true",
      "(1,4)→(1,4):(1,2)         | true  | true  | true  | false | true",
      "()→():()                  | true  | false | true  | true  | true",
      "()→(2,3):()               | true  | false | true  | true  | false",
      "(1,4)→(4,1):(0,1)         | false | false | true  | false | false",
      "(4,1)→(4,1):(1,0)         | false | false | false | false | false",
      "((2,2),2)→(2,(2,2)):(1,3,2) | true | false | false | true | false"})
  void propertiesAreOfTheLayoutOrThePositions(String text, boolean total, boolean degenerate, boolean sorted,
      boolean coalesced, boolean standard) {
    var f = TupleMorphism.parse(text);
    assertEquals(total, f.isTotal(), "total");
    assertEquals(degenerate, f.isDegenerate(), "degenerate");
    assertEquals(sorted, f.isSorted(), "sorted");
    assertEquals(coalesced, f.isCoalesced(), "coalesced");
    assertEquals(standard, f.isInStandardForm(), "in standard form");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(2,3) | 6 | true", "5 | 7 | false", "2 | (2) | false", "(2) | 2 | true", "((2,2),3) | (4,3) | true",
      "(4,3) | ((2,2),3) | false", "(2,2) | (2,2,1) | false", "(1,()) | (1,1) | true", "() | 1 | true"})
  void aTupleRefinesAnotherIfItSplitsIntegersOfItsTree(String fine, String coarse, boolean refines) {
    assertEquals(refines, Refinement.refines(IntTuple.parse(fine), IntTuple.parse(coarse)));
  }
}
