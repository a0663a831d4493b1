package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;
import tilewright.layout.tuple.TupleOrder;

/** Operands that do not fit each other are refused by name, and what just fits is not. */
class RefusalTest {
  private static final IntTuple PAIR = IntTuple.parse("(2,3)");
  private static final IntTuple TRIPLE = IntTuple.parse("(2,3,4)");

  @TestFactory
  Stream<DynamicTest> tuplesOfAnotherTreeAreRefused() {
    return Stream.<BinaryOperator<IntTuple>>of(TupleArithmetic::productLike, TupleArithmetic::prefixProduct,
        TupleArithmetic::suffixProduct, TupleArithmetic::elemScale,
        (a, b) -> IntTuple.of(TupleArithmetic.innerProduct(a, b)))
        .map(operation -> DynamicTest.dynamicTest("a triple with a pair", () -> {
          var refusal = assertThrows(IllegalArgumentException.class, () -> operation.apply(TRIPLE, PAIR));
          assertTrue(refusal.getMessage().contains("(2,3,4) and (2,3)"), refusal.getMessage());
        }));
  }

  @Test
  void tuplesOfDifferentRankHaveNoOrderLeafByLeaf() {
    assertTrue(TupleOrder.elemLess(PAIR, IntTuple.parse("(3,4)")));
    assertThrows(IllegalArgumentException.class, () -> TupleOrder.elemLess(PAIR, IntTuple.of(4)));
  }

  @Test
  void aWholeNumberOfTilesIsToldModeByMode() {
    assertTrue(TupleArithmetic.evenlyDivides(IntTuple.parse("(4,6)"), IntTuple.parse("(2,3)")));
    assertFalse(TupleArithmetic.evenlyDivides(IntTuple.parse("(4,6)"), IntTuple.parse("(2,4)")));
    assertFalse(TupleArithmetic.evenlyDivides(IntTuple.parse("(5,6)"), IntTuple.parse("(2,3)")));
    assertTrue(TupleArithmetic.evenlyDivides(IntTuple.parse("(4,6)"), IntTuple.parse("(2)")));
    assertFalse(TupleArithmetic.evenlyDivides(IntTuple.parse("(4)"), IntTuple.parse("(2,3)")));
    assertFalse(TupleArithmetic.evenlyDivides(IntTuple.of(4), IntTuple.of(0)));
    assertTrue(TupleArithmetic.evenlyDivides(IntTuple.of(4), IntTuple.of(1)));
    assertFalse(TupleArithmetic.evenlyDivides(IntTuple.of(4), IntTuple.parse("(2)")));
  }

  @Test
  void modesBeyondTheLastAreRefused() {
    assertEquals(IntTuple.parse("(2,(3,4))"), TRIPLE.group(1, 3));
    assertThrows(IndexOutOfBoundsException.class, () -> TRIPLE.group(1, 4));
    assertThrows(IndexOutOfBoundsException.class, () -> TRIPLE.group(-1, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> TRIPLE.group(2, 1));
    var layout = Layout.columnMajor(2, 3, 4);
    assertEquals(2, layout.take(1, 3).rank());
    assertThrows(IndexOutOfBoundsException.class, () -> layout.take(1, 4));
    assertThrows(IndexOutOfBoundsException.class, () -> layout.take(2, 1));
  }

  @Test
  void coordinatesOfAnotherTreeAreRefused() {
    var layout = Layout.columnMajor(2, 3);
    for (var coordinate : List.of("(0,0,0)", "(0)", "((0,0),0)")) {
      var bad = IntTuple.parse(coordinate);
      assertThrows(IllegalArgumentException.class, () -> layout.apply(bad), coordinate);
      assertThrows(IllegalArgumentException.class, () -> Coordinates.index(bad, layout.shape()), coordinate);
    }
    assertEquals(5, layout.apply(IntTuple.parse("(1,2)")));
    assertEquals(5, Coordinates.index(IntTuple.parse("(1,2)"), layout.shape()));
  }

  @Test
  void treesAreComparedToTheirLeaves() {
    assertEquals(3, IntTuple.parse("(1,((2),3))").depth());
    assertEquals(1, IntTuple.of(List.of()).depth());
    assertFalse(PAIR.isCongruentTo(TRIPLE));
    assertFalse(PAIR.isCongruentTo(IntTuple.of(2)));
    assertFalse(IntTuple.of(2).isCongruentTo(PAIR));
    assertFalse(IntTuple.parse("(2,(3))").isCongruentTo(PAIR));
    assertTrue(IntTuple.parse("(7,(3))").isCongruentTo(IntTuple.parse("(2,(9))")));
    assertEquals(IntTuple.parse("(7,(7,7))"), IntTuple.parse("(1,(2,3))").repeatLike(7));
  }

  @Test
  void swizzlesEndAtBit62() {
    assertEquals(62, new Swizzle(10, 20, 32).bits() + 52);
    assertThrows(IllegalArgumentException.class, () -> new Swizzle(10, 21, 32));
    assertThrows(IllegalArgumentException.class, () -> new Swizzle(10, 21, -32));
    assertThrows(IllegalArgumentException.class, () -> new Swizzle(3, 0, 2));
    assertThrows(IllegalArgumentException.class, () -> new Swizzle(-1, 0, 2));
    assertThrows(IllegalArgumentException.class, () -> new Swizzle(1, -1, 2));
    assertEquals(0b11_0000, new Swizzle(2, 1, -3).writtenMask());
    assertEquals(0b110, new Swizzle(2, 1, -3).readMask());
    assertEquals(0b110, new Swizzle(2, 1, 3).writtenMask());
    assertEquals(0b11_0000, new Swizzle(2, 1, 3).readMask());
  }

  @Test
  void matricesHaveAtMost63RowsAndColumns() {
    assertEquals(63, new F2Matrix(63, List.of()).rows());
    assertThrows(IllegalArgumentException.class, () -> new F2Matrix(64, List.of()));
    assertThrows(IllegalArgumentException.class, () -> new F2Matrix(-1, List.of()));
    assertThrows(IllegalArgumentException.class, () -> new F2Matrix(2, List.of(4L)));
    assertEquals(0, new F2Matrix(0, Collections.nCopies(63, 0L)).rows());
    assertThrows(IllegalArgumentException.class, () -> new F2Matrix(0, Collections.nCopies(64, 0L)));
    assertEquals("[1, 2] over F2", new F2Matrix(2, List.of(1L, 2L)).toString());
  }

  @Test
  void anInverseOfAMatrixNeedsRowsColumnsAndRank() {
    var wide = new F2Matrix(1, List.of(1L, 1L)).tryInverse();
    assertTrue(wide instanceof Decision.Undefined<F2Matrix> undefined && undefined.message().contains("1 ≠ 2"));
    var singular = new F2Matrix(2, List.of(3L, 3L)).tryInverse();
    assertTrue(singular instanceof Decision.Undefined<F2Matrix> undefined
        && undefined.message().contains("3 maps to 0"));
  }
}
