package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

/** Layouts of basis and XOR strides: what is printed is read, and an offset is the sum over the index's digits. */
class StrideNotationProperties {

  @Property
  void basisStridesAreReadAsPrintedAndAddUp(@ForAll("coordinateLayouts") CoordinateLayout layout) {
    assertEquals(layout, CoordinateLayout.parse(layout.toString()));
    for (long i = 0; i < Math.min(layout.size(), 100); i++) {
      var terms = new ArrayList<ArithmeticTuple.Term>();
      var digits = digits(i, layout.shape());
      for (int k = 0; k < digits.size(); k++) {
        for (var term : layout.strides().get(k).terms()) {
          terms.add(new ArithmeticTuple.Term(digits.get(k) * term.scale(), term.place()));
        }
      }
      assertEquals(new ArithmeticTuple(terms), layout.apply(i));
    }
  }

  @Property
  void xorStridesAreReadAsPrintedAndAddUp(@ForAll("xorLayouts") XorLayout layout) {
    assertEquals(layout, XorLayout.parse(layout.toString()));
    var normal = layout.coalesce();
    for (long i = 0; i < Math.min(layout.size(), 100); i++) {
      var digits = digits(i, layout.shape());
      long sum = 0;
      for (int k = 0; k < digits.size(); k++) {
        for (int bit = 0; bit < 8; bit++) {
          if ((digits.get(k) >> bit & 1) == 1) sum ^= layout.stride().flatten()[k] << bit;
        }
      }
      assertEquals(sum, layout.apply(i));
      assertEquals(sum, layout.apply(Layout.columnMajor(layout.shape()).coordinate(i)));
      assertEquals(sum, normal.apply(i));
    }
  }

  private static List<Long> digits(long index, IntTuple shape) {
    var digits = new ArrayList<Long>();
    for (long extent : shape.flatten()) {
      digits.add(index % extent);
      index /= extent;
    }
    return digits;
  }

  @Provide
  Arbitrary<CoordinateLayout> coordinateLayouts() {
    var place = Arbitraries.integers().between(0, 3).list().ofMaxSize(3);
    var term = Arbitraries.longs().between(-9, 9)
        .flatMap(scale -> place.map(at -> new ArithmeticTuple.Term(scale, at)));
    var stride = term.list().ofMaxSize(2).map(ArithmeticTuple::new);
    return shapes().flatMap(shape -> stride.list().ofSize((int) shape.leaves().count())
        .map(strides -> new CoordinateLayout(shape, strides)));
  }

  @Provide
  Arbitrary<XorLayout> xorLayouts() {
    var stride = Arbitraries.longs().between(0, 1L << 40);
    return shapes().flatMap(shape -> stride.list().ofSize((int) shape.leaves().count())
        .map(strides -> IntTuple.flat(strides.stream().mapToLong(Long::longValue).toArray()))
        .map(strides -> new XorLayout(shape, strides.unflatten(shape))));
  }

  private static Arbitrary<IntTuple> shapes() {
    var leaf = Arbitraries.longs().between(1, 9).map(IntTuple::of);
    var tuple = leaf.list().ofMaxSize(3).map(IntTuple::of);
    return Arbitraries.oneOf(leaf, tuple, Arbitraries.oneOf(leaf, tuple).list().ofMaxSize(3).map(IntTuple::of));
  }
}
