package tilewright.layout.expression;

import java.util.List;
import java.util.stream.Collectors;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

/** The value of an expression; its text is in CuTe's notation. */
public sealed interface Value {

  /** An integer or a tuple of integers: a shape, strides, a coordinate or an offset. */
  record Integers(IntTuple tuple) implements Value {
    @Override
    public String toString() {
      return tuple.toString();
    }
  }

  /** A layout or a composed layout. */
  record Mapping(OffsetMap map) implements Value {
    @Override
    public String toString() {
      return map.toString();
    }
  }

  /** A layout whose offsets are coordinates. */
  record CoordinateMapping(CoordinateLayout map) implements Value {
    @Override
    public String toString() {
      return map.toString();
    }
  }

  /** A layout whose modes combine by XOR. */
  record XorMapping(XorLayout map) implements Value {
    @Override
    public String toString() {
      return map.toString();
    }
  }

  /** A sum of multiples of basis elements. */
  record Arithmetic(ArithmeticTuple sum) implements Value {
    @Override
    public String toString() {
      return sum.toString();
    }
  }

  /** A morphism of tuples, which realises a layout. */
  record Morphism(TupleMorphism morphism) implements Value {
    @Override
    public String toString() {
      return morphism.toString();
    }
  }

  record Swizzling(Swizzle swizzle) implements Value {
    @Override
    public String toString() {
      return swizzle.toString();
    }
  }

  record Tiling(Tiler tiler) implements Value {
    @Override
    public String toString() {
      return tiler.toString();
    }
  }

  /** {@code _}: a mode that is left free by a coordinate, or as it is by a tiler. */
  record Free() implements Value {
    @Override
    public String toString() {
      return "_";
    }
  }

  /** Values side by side that are not all integers: a coordinate with free modes, a tiler, or several results. */
  record Sequence(List<Value> values) implements Value {
    public Sequence {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return values.stream().map(Value::toString).collect(Collectors.joining(",", "(", ")"));
    }
  }

  /** The answer of a predicate. */
  record Truth(boolean holds) implements Value {
    @Override
    public String toString() {
      return Boolean.toString(holds);
    }
  }
}
