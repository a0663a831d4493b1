package tilewright.layout.coordinate;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tilewright.layout.Layout;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/**
 * A layout whose offsets are coordinates: CuTe's layouts with basis strides, such as {@code (4,8):(1@0,1@1)}. They name
 * the elements of a tensor where an address would not do: for predicates and for the coordinates of TMA.
 *
 * @param shape extents of at least 0
 * @param strides one for each leaf of the shape, left to right
 */
public record CoordinateLayout(IntTuple shape, List<ArithmeticTuple> strides) {
  public CoordinateLayout {
    strides = List.copyOf(strides);
    if (shape.leaves().count() != strides.size()) {
      throw new IllegalArgumentException("shape " + shape + " has " + shape.leaves().count() + " leaves and there are "
          + strides.size() + " strides " + strides);
    }
  }

  /** Reads CuTe's notation, such as {@code (2,(3,4)):(1@0,(1@0@1,1@1@1))}; {@code +} adds basis elements. */
  public static CoordinateLayout parse(String text) {
    return NodeReader.read(text, CoordinateNotation::layout);
  }

  /** Each coordinate ↦ itself: CuTe's {@code make_identity_layout}. */
  public static CoordinateLayout identity(IntTuple shape) {
    var strides = new ArrayList<ArithmeticTuple>();
    places(shape, List.of(), strides);
    return new CoordinateLayout(shape, strides);
  }

  private static void places(IntTuple shape, List<Integer> place, List<ArithmeticTuple> strides) {
    switch (shape) {
      case IntTuple.Leaf _ -> strides.add(new ArithmeticTuple(List.of(new ArithmeticTuple.Term(1, place))));
      case IntTuple.Tuple t -> {
        for (int i = 0; i < t.rank(); i++) {
          var inner = new ArrayList<>(place);
          inner.add(i);
          places(t.mode(i), inner, strides);
        }
      }
    }
  }

  public int rank() {
    return shape.rank();
  }

  public long size() {
    return shape.size();
  }

  public CoordinateLayout mode(int index) {
    int before = 0;
    for (int i = 0; i < index; i++) before += (int) shape.mode(i).leaves().count();
    int count = (int) shape.mode(index).leaves().count();
    return new CoordinateLayout(shape.mode(index), strides.subList(before, before + count));
  }

  /** The sum at a colexicographic index. */
  public ArithmeticTuple apply(long index) {
    return apply(IntTuple.of(index));
  }

  public ArithmeticTuple apply(IntTuple coordinate) {
    var terms = new ArrayList<ArithmeticTuple.Term>();
    if (strides.isEmpty()) Coordinates.offset(coordinate, shape, shape);
    components().forEach((place, layout) -> terms.add(new ArithmeticTuple.Term(layout.apply(coordinate), place)));
    return new ArithmeticTuple(terms);
  }

  /** Maps each place that a stride names to the layout of the integers there. */
  public Map<List<Integer>, Layout> components() {
    var components = new LinkedHashMap<List<Integer>, Layout>();
    var places = new TreeSet<>(ArithmeticTuple.BY_PLACE);
    for (var stride : strides) stride.terms().forEach(term -> places.add(term.place()));
    for (var place : places) components.put(place, component(place));
    return components;
  }

  private Layout component(List<Integer> place) {
    long[] scales = strides.stream().mapToLong(s -> s.at(place)).toArray();
    return new Layout(shape, IntTuple.flat(scales).unflatten(shape));
  }

  /** R with R(i) = this(inner(i)) for all i below inner's size, refining inner's shape. */
  public CoordinateLayout composition(Layout inner) {
    return CoordinateComposition.of(this, inner).orElseThrow();
  }

  /** This function on its domain in the fewest modes. */
  public CoordinateLayout coalesce() {
    var merged = new ArrayList<ArithmeticTuple>();
    var extents = new ArrayList<Long>();
    long[] leaves = shape.flatten();
    if (shape.size() == 0) return new CoordinateLayout(IntTuple.of(0), List.of(ArithmeticTuple.ZERO));
    for (int i = 0; i < leaves.length; i++) {
      if (leaves[i] == 1) continue;
      if (!merged.isEmpty() && times(merged.getLast(), extents.getLast()).equals(strides.get(i))) {
        extents.add(Math.multiplyExact(extents.removeLast(), leaves[i]));
      } else {
        merged.add(strides.get(i));
        extents.add(leaves[i]);
      }
    }
    if (merged.isEmpty()) return new CoordinateLayout(IntTuple.of(1), List.of(ArithmeticTuple.ZERO));
    var flat = IntTuple.of(extents.stream().map(IntTuple::of).toList());
    return new CoordinateLayout(merged.size() == 1 ? flat.mode(0) : flat, merged);
  }

  private static ArithmeticTuple times(ArithmeticTuple tuple, long factor) {
    return new ArithmeticTuple(tuple.terms().stream()
        .map(t -> new ArithmeticTuple.Term(Math.multiplyExact(t.scale(), factor), t.place())).toList());
  }

  @Override
  public String toString() {
    return shape + ":" + strideText(shape, strides.iterator());
  }

  private static String strideText(IntTuple shape, Iterator<ArithmeticTuple> leaves) {
    return switch (shape) {
      case IntTuple.Leaf _ -> leaves.next().toString();
      case IntTuple.Tuple t -> t.elements().stream().map(e -> strideText(e, leaves))
          .collect(Collectors.joining(",", "(", ")"));
    };
  }
}
