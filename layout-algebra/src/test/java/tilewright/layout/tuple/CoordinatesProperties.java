package tilewright.layout.tuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.Layout;
import tilewright.layout.Tuples;

/** Laws of indices and coordinates, by counting. */
class CoordinatesProperties {

  @Property
  void successorsVisitTheCoordinatesInTheOrderOfTheirIndices(@ForAll("shapes") IntTuple shape) {
    var coordinate = shape.repeatLike(0);
    for (long i = 0; i < Math.min(shape.size(), 500); i++) {
      assertEquals(i, Coordinates.index(coordinate, shape));
      assertEquals(coordinate, Coordinates.of(i, shape));
      assertTrue(TupleOrder.elemLess(coordinate, shape), coordinate + " in " + shape);
      coordinate = Coordinates.successor(coordinate, shape);
    }
  }

  @Property
  void theIndexIsTheColumnMajorOffset(@ForAll("shapes") IntTuple shape) {
    var columnMajor = Layout.columnMajor(shape);
    var rowMajor = Layout.rowMajor(shape);
    for (long i = 0; i < Math.min(shape.size(), 200); i++) {
      var coordinate = Coordinates.of(i, shape);
      assertEquals(i, columnMajor.apply(coordinate));
      assertEquals(coordinate, Coordinates.ofOffset(i, shape, columnMajor.stride()));
      assertEquals(coordinate, Coordinates.ofOffset(rowMajor.apply(i), shape, rowMajor.stride()));
    }
  }

  @Property
  void conversionKeepsTheIndex(@ForAll("shapes") IntTuple from, @ForAll("shapes") IntTuple to) {
    for (long i = 0; i < Math.min(from.size(), 100); i++) {
      assertEquals(i, Coordinates.index(Coordinates.convert(Coordinates.of(i, from), from, to), to));
    }
  }

  @Example
  void eachIntegerOfACoordinateCountsWithinItsMode() {
    assertEquals(IntTuple.parse("((1,2),3)"), Coordinates.of(IntTuple.parse("(5,3)"), IntTuple.parse("((2,4),4)")));
    assertThrows(IllegalArgumentException.class, () -> Coordinates.of(IntTuple.parse("(1,2)"), IntTuple.of(6)));
  }

  @Example
  void beyondTheSizeTheLastModeRunsOnUnlessAskedToWrap() {
    var shape = IntTuple.parse("(3,(2,3))");
    assertEquals(IntTuple.parse("(2,(1,3))"), Coordinates.of(23, shape));
    assertEquals(IntTuple.parse("(2,(1,0))"), Coordinates.of(23, shape, Coordinates.LastMode.WRAPPED));
  }

  @Example
  void digitsOfNegativeStridesCountDownwards() {
    assertEquals(IntTuple.parse("(3,1)"), Coordinates.ofOffset(-7, IntTuple.parse("(4,8)"), IntTuple.parse("(-1,-4)")));
    assertEquals(IntTuple.parse("(0,2)"), Coordinates.ofOffset(2, IntTuple.parse("(5,3)"), IntTuple.parse("(0,1)")));
  }

  @Example
  void anEmptyModeHasNoCoordinates() {
    assertThrows(IllegalArgumentException.class, () -> Coordinates.of(1, IntTuple.parse("(0,4)")));
  }

  @Example
  void theEmptyShapeHasOneCoordinate() {
    assertEquals(IntTuple.parse("()"), Coordinates.of(0, IntTuple.parse("()")));
    assertEquals(0, Coordinates.index(IntTuple.parse("()"), IntTuple.parse("()")));
  }

  @Provide
  Arbitrary<IntTuple> shapes() {
    return Tuples.shapes();
  }
}
