package tilewright.layout.tuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;

class TupleOrderTest {

  @Test
  void onCoordinatesOfOneShapeColexIsTheOrderOfIndices() {
    var shape = IntTuple.parse("(3,(2,2))");
    for (long i = 0; i < 12; i++) {
      for (long j = 0; j < 12; j++) {
        var a = Coordinates.of(i, shape);
        var b = Coordinates.of(j, shape);
        assertEquals(i < j, TupleOrder.colexLess(a, b));
        assertEquals(i <= j, TupleOrder.colexLeq(a, b));
        assertEquals(i > j, TupleOrder.colexGtr(a, b));
        assertEquals(i >= j, TupleOrder.colexGeq(a, b));
      }
    }
  }

  @Test
  void lexIsTheOrderOfRowMajorIndices() {
    var layout = Layout.rowMajor(IntTuple.parse("(3,(2,2))"));
    for (long i = 0; i < 12; i++) {
      for (long j = 0; j < 12; j++) {
        var a = layout.coordinate(i);
        var b = layout.coordinate(j);
        assertEquals(layout.apply(i) < layout.apply(j), TupleOrder.lexLess(a, b));
        assertEquals(layout.apply(i) <= layout.apply(j), TupleOrder.lexLeq(a, b));
        assertEquals(layout.apply(i) > layout.apply(j), TupleOrder.lexGtr(a, b));
        assertEquals(layout.apply(i) >= layout.apply(j), TupleOrder.lexGeq(a, b));
      }
    }
  }

  @Test
  void elementwiseHoldsForEveryInteger() {
    var shape = IntTuple.parse("(3,(2,2))");
    for (long i = 0; i < 12; i++) {
      for (long j = 0; j < 12; j++) {
        long[] a = Coordinates.of(i, shape).flatten();
        long[] b = Coordinates.of(j, shape).flatten();
        boolean less = a[0] < b[0] && a[1] < b[1] && a[2] < b[2];
        boolean most = a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2];
        assertEquals(less, TupleOrder.elemLess(Coordinates.of(i, shape), Coordinates.of(j, shape)));
        assertEquals(less, TupleOrder.elemGtr(Coordinates.of(j, shape), Coordinates.of(i, shape)));
        assertEquals(most, TupleOrder.elemLeq(Coordinates.of(i, shape), Coordinates.of(j, shape)));
        assertEquals(most, TupleOrder.elemGeq(Coordinates.of(j, shape), Coordinates.of(i, shape)));
      }
    }
  }

  @Test
  void aProperBeginningOrEndingIsLess() {
    assertTrue(TupleOrder.lexLess(IntTuple.parse("(1,2)"), IntTuple.parse("(1,2,0)")));
    assertTrue(TupleOrder.colexLess(IntTuple.parse("(1,2)"), IntTuple.parse("(0,1,2)")));
    assertTrue(TupleOrder.elemLess(IntTuple.parse("(1,2)"), IntTuple.parse("(2,3,0)")));
    assertFalse(TupleOrder.elemLess(IntTuple.parse("(1,2,0)"), IntTuple.parse("(2,3)")));
  }

  @Test
  void anIntegerAndATupleHaveNoOrder() {
    assertThrows(IllegalArgumentException.class, () -> TupleOrder.lexLess(IntTuple.of(1), IntTuple.parse("(1)")));
  }
}
