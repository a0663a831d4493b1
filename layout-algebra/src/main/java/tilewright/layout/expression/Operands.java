package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;
import tilewright.layout.xor.Unswizzling;
import tilewright.layout.xor.XorLayout;

/** The values that an operation is called with, read as what it needs. */
record Operands(Operation operation, List<Value> values, List<Integer> positions, Dialect dialect) {

  int count() {
    return values.size();
  }

  Value value(int index) {
    return values.get(index);
  }

  boolean isIntegers(int index) {
    return values.get(index) instanceof Value.Integers;
  }

  /** An optional operand. */
  <T> T or(int index, Function<Integer, T> reader, T otherwise) {
    return index < values.size() ? reader.apply(index) : otherwise;
  }

  IntTuple tuple(int index) {
    if (values.get(index) instanceof Value.Integers integers) return integers.tuple();
    throw mismatch(index, "integers");
  }

  /** A tuple, or the shape of a layout. */
  IntTuple shapeOf(int index) {
    return isIntegers(index) ? tuple(index) : map(index).shape();
  }

  /** A tuple of extents. */
  IntTuple shape(int index) {
    var shape = tuple(index);
    if (Literals.isShape(shape)) return shape;
    throw mismatch(index, Literals.EXTENTS);
  }

  long integer(int index) {
    if (tuple(index) instanceof IntTuple.Leaf leaf) return leaf.value();
    throw mismatch(index, "one integer");
  }

  /** A count or an index. */
  int index(int index) {
    long value = integer(index);
    if (value >= 0 && value <= Integer.MAX_VALUE) return (int) value;
    throw mismatch(index, "an integer from 0 on");
  }

  /** A layout; a shape stands for its compact column-major layout. */
  Layout layout(int index) {
    return switch (map(index)) {
      case Layout layout -> layout;
      case ComposedLayout _ -> throw mismatch(index, "a layout without a swizzle");
    };
  }

  List<Layout> layoutsFrom(int first) {
    var layouts = new ArrayList<Layout>();
    for (int i = first; i < values.size(); i++) layouts.add(layout(i));
    return layouts;
  }

  OffsetMap map(int index) {
    return switch (values.get(index)) {
      case Value.Mapping mapping -> mapping.map();
      case Value.Integers _ -> Layout.columnMajor(shape(index));
      default -> throw mismatch(index, "a layout");
    };
  }

  /** A swizzled layout; nothing if the operand is of another kind. */
  Optional<ComposedLayout> composed(int index) {
    return values.get(index) instanceof Value.Mapping(ComposedLayout composed) ? Optional.of(composed)
        : Optional.empty();
  }

  /** A layout with XOR strides, or what is one in another form. */
  XorLayout xor(int index) {
    return switch (values.get(index)) {
      case Value.XorMapping mapping -> mapping.map();
      case Value.Mapping(ComposedLayout composed) -> Unswizzling.xor(composed).orElseThrow();
      default -> Unswizzling.xor(layout(index)).orElseThrow();
    };
  }

  /** A morphism of tuples; a layout stands for its standard form. */
  TupleMorphism morphism(int index) {
    if (values.get(index) instanceof Value.Morphism(TupleMorphism morphism)) return morphism;
    return TupleMorphism.tryStandardForm(layout(index)).orElseThrow();
  }

  /** A coordinate that may leave modes free. */
  SliceCoordinate slice(int index) {
    return Literals.slice(values.get(index)).orElseThrow(() -> mismatch(index, "integers and _"));
  }

  /** A layout over the whole domain, or a tuple of tilers by mode. */
  Tiler tiler(int index) {
    return Literals.tiler(values.get(index)).orElseThrow(() -> mismatch(index, "a layout, or a tiler with " + Literals.EXTENTS));
  }

  ExpressionException mismatch(int index, String needed) {
    return new ExpressionException(positions.get(index), "operands have the kinds that the operation takes",
        operation.signature() + " takes " + needed + " as '" + operation.operand(index) + "', got "
            + Literals.abbreviated(values.get(index)));
  }

  /** The call, with its operands' values. */
  @Override
  public String toString() {
    return values.stream().map(Value::toString).collect(Collectors.joining(", ", operation.name() + "(", ")"));
  }
}
