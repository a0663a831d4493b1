package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;

/** How values combine in brackets, and what they stand for. */
final class Literals {
  /** The rule of {@link #isShape}, for messages. */
  static final String EXTENTS = "extents of at least 1";
  private static final int LONGEST = 60;

  private Literals() {}

  /** Integers make a tuple; one other value in parentheses is itself. */
  static Value tuple(List<Value> elements) {
    var integers = new ArrayList<IntTuple>();
    for (var element : elements) if (element instanceof Value.Integers i) integers.add(i.tuple());
    if (integers.size() == elements.size()) return new Value.Integers(IntTuple.of(integers));
    boolean grouped = elements.size() == 1 && !(elements.getFirst() instanceof Value.Free);
    return grouped ? elements.getFirst() : new Value.Sequence(elements);
  }

  /** Whether the integers can be a shape. */
  static boolean isShape(IntTuple tuple) {
    return tuple.leaves().allMatch(extent -> extent > 0);
  }

  /** The tiler that a value stands for: like in CuTe, n for n:1, and a tuple for tilers by mode. */
  static Optional<Tiler> tiler(Value value) {
    return switch (value) {
      case Value.Tiling tiling -> Optional.of(tiling.tiler());
      case Value.Free _ -> Optional.of(new Tiler.Keep());
      case Value.Mapping(Layout layout) -> Optional.of(Tiler.of(layout));
      case Value.Integers(IntTuple tuple) -> Optional.of(tuple).filter(Literals::isShape).map(Literals::tiler);
      case Value.Sequence sequence -> byMode(sequence.values());
      default -> Optional.empty();
    };
  }

  static Optional<Tiler> byMode(List<Value> values) {
    var tilers = new ArrayList<Tiler>();
    for (var value : values) tiler(value).ifPresent(tilers::add);
    return tilers.size() == values.size() ? Optional.of(new Tiler.ByMode(tilers)) : Optional.empty();
  }

  private static Tiler tiler(IntTuple tuple) {
    return switch (tuple) {
      case IntTuple.Leaf leaf -> Tiler.of(Layout.of(leaf.value(), 1));
      case IntTuple.Tuple t -> new Tiler.ByMode(t.elements().stream().map(Literals::tiler).toList());
    };
  }

  static Optional<SliceCoordinate> slice(Value value) {
    return switch (value) {
      case Value.Free _ -> Optional.of(new SliceCoordinate.Free());
      case Value.Integers(IntTuple tuple) -> Optional.of(slice(tuple));
      case Value.Sequence sequence -> {
        var elements = new ArrayList<SliceCoordinate>();
        for (var element : sequence.values()) slice(element).ifPresent(elements::add);
        yield elements.size() == sequence.values().size() ? Optional.of(new SliceCoordinate.Tuple(elements))
            : Optional.empty();
      }
      default -> Optional.empty();
    };
  }

  private static SliceCoordinate slice(IntTuple tuple) {
    return switch (tuple) {
      case IntTuple.Leaf leaf -> new SliceCoordinate.Fixed(leaf.value());
      case IntTuple.Tuple t -> new SliceCoordinate.Tuple(t.elements().stream().map(Literals::slice).toList());
    };
  }

  /** Where a morphism sends each integer; nothing if one is no position. */
  static Optional<List<Integer>> positions(IntTuple tuple) {
    if (tuple.leaves().anyMatch(position -> position < 0 || position > Integer.MAX_VALUE)) return Optional.empty();
    return Optional.of(tuple.leaves().mapToObj(position -> (int) position).toList());
  }

  static String abbreviated(Value value) {
    var text = value.toString();
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }
}
