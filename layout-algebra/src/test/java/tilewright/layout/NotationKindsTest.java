package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;
import tilewright.layout.xor.XorLayout;

/** Literals of each kind, and what each kind refuses. */
class NotationKindsTest {

  @Test
  void tuplesNest() {
    assertEquals(IntTuple.of(IntTuple.of(4), IntTuple.of(List.of(IntTuple.of(2), IntTuple.of(-3)))),
        IntTuple.parse("(4,(2,-3))"));
  }

  @Test
  void sliceCoordinatesHaveFreeModes() {
    var free = new SliceCoordinate.Free();
    assertEquals(free, SliceCoordinate.parse("_"));
    assertEquals(new SliceCoordinate.Tuple(List.of(free,
        new SliceCoordinate.Tuple(List.of(new SliceCoordinate.Fixed(1), free)))), SliceCoordinate.parse("(_,(1,_))"));
  }

  @Test
  void aShapeAloneIsColumnMajor() {
    assertEquals(Layout.of(IntTuple.of(IntTuple.of(4), IntTuple.of(2)), IntTuple.of(IntTuple.of(1), IntTuple.of(4))),
        Layout.parse("(4,2)"));
    assertEquals(0, Layout.parse("(0,2)").size());
  }

  @Test
  void coordinateLayoutsHaveIntegersBasisElementsAndSumsAsStrides() {
    var shape = IntTuple.of(IntTuple.of(2), IntTuple.of(List.of(IntTuple.of(3), IntTuple.of(5))));
    var strides = List.of(ArithmeticTuple.of(7), ArithmeticTuple.of(2, 0, 1),
        ArithmeticTuple.of(1, 0).plus(ArithmeticTuple.of(3, 1)));
    assertEquals(new CoordinateLayout(shape, strides), CoordinateLayout.parse("(2,(3,5)):(7,(2@1@0,1@0+3@1))"));
  }

  @Test
  void xorLayoutsHaveXorStrides() {
    assertEquals(new XorLayout(IntTuple.of(IntTuple.of(2), IntTuple.of(4)), IntTuple.of(IntTuple.of(0),
        IntTuple.of(9))), XorLayout.parse("(2,4):(^0,^9)"));
  }

  @Test
  void swizzlesAndWhatIsBehindThem() {
    assertEquals(new Swizzle(3, 4, -3), Swizzle.parse("Sw<3,4,-3>"));
    assertEquals(new ComposedLayout(new Swizzle(1, 0, 1), 2, Layout.of(4, 1)), OffsetMap.parse("Sw<1,0,1> o 2 o 4:1"));
    assertEquals(Layout.of(4, 2), OffsetMap.parse("4:2"));
  }

  @Test
  void tilersHoldLayoutsAndFreeModes() {
    assertEquals(new Tiler.ByMode(List.of(new Tiler.ByLayout(Layout.of(4, 1)), new Tiler.Keep())),
        Tiler.parse("[4;_]"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      tuple      | (4,2:1)                   | 4 | an integer or a tuple of integers
      slice      | (4,2:1)                   | 4 | an integer, _ or a tuple of such
      layout     | (4,-1)                    | 1 | extents of at least 0
      layout     | (4,2):(1,(4))             | 6 | strides with the tree of (4,2) (got (1,(4)))
      coordinate | (4,8)                     | 1 | a shape and strides, as in (4,8):(1@0,1@1)
      coordinate | (4,8):(1@0)               | 6 | strides with the tree of (4,8)
      coordinate | 4:_                       | 3 | an integer or a multiple of a basis element, as 2@0@1
      coordinate | 2:9223372036854775807@0+1@0 | 3 | a sum of at most 64 bits
      xor        | 4                         | 1 | a shape and strides, as in (8,8):(^1,^9)
      xor        | 4:1                       | 3 | an XOR stride, as ^9, at every mode
      xor        | 4:^-1                     | 3 | an XOR stride of at least 0
      xor        | (4,2):^1                  | 6 | strides with the tree of (4,2)
      swizzle    | 4                         | 1 | a swizzle, as in Sw<3,4,3>
      swizzle    | Sw<3,4,2>                 | 1 | a legal swizzle
      swizzle    | Sw<9999999999,0,1>        | 1 | a legal swizzle
      map        | 4:1 o 2 o 4:1             | 1 | a swizzle, as in Sw<3,4,3>
      """)
  void eachKindNamesWhatItNeedsInTheColumnWhereItIsMissing(String kind, String text, int column, String needed) {
    Function<String, Object> parser = switch (kind) {
      case "tuple" -> IntTuple::parse;
      case "slice" -> SliceCoordinate::parse;
      case "layout" -> Layout::parse;
      case "coordinate" -> CoordinateLayout::parse;
      case "xor" -> XorLayout::parse;
      case "swizzle" -> Swizzle::parse;
      default -> OffsetMap::parse;
    };
    var e = assertThrows(LayoutSyntaxException.class, () -> parser.apply(text));
    assertEquals(column, e.position() + 1, e.getMessage());
    assertTrue(e.getMessage().contains("expected " + needed), e.getMessage());
  }
}
