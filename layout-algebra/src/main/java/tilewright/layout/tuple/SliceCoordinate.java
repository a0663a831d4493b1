package tilewright.layout.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.NodeReader;

/** A coordinate of which some places are left free, as {@code (_,(1,_))}: CuTe's argument of slice and dice. */
public sealed interface SliceCoordinate {

  /** {@code _}: every coordinate of what stands here. */
  record Free() implements SliceCoordinate {
    @Override
    public String toString() {
      return "_";
    }
  }

  /** One coordinate of what stands here. */
  record Fixed(long value) implements SliceCoordinate {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** A coordinate for each mode. */
  record Tuple(List<SliceCoordinate> elements) implements SliceCoordinate {
    public Tuple {
      elements = List.copyOf(elements);
    }

    @Override
    public String toString() {
      return elements.stream().map(SliceCoordinate::toString).collect(Collectors.joining(",", "(", ")"));
    }
  }

  /** Reads a coordinate such as {@code (_,(1,_))}. */
  static SliceCoordinate parse(String text) {
    return NodeReader.read(text, SliceCoordinate::read);
  }

  private static SliceCoordinate read(NodeReader reader, Node node) {
    return switch (node) {
      case Node.Free _ -> new Free();
      case Node.Number number -> new Fixed(number.value());
      case Node.Tuple tuple -> new Tuple(NodeReader.each(tuple.elements(), element -> read(reader, element)));
      default -> throw reader.expected(node.position(), "an integer, _ or a tuple of such");
    };
  }

  /**
   * The elements at each {@code _}, side by side: (_,(1,_)) of (4,(2,3)) is (4,3). A bare {@code _} is all, an integer
   * ().
   */
  default IntTuple slice(IntTuple tuple) {
    return this instanceof Free ? tuple : IntTuple.of(hit(tuple, true));
  }

  /**
   * The elements at each integer, side by side: (_,(1,_)) of (4,(2,3)) is (2). A bare integer is all, a {@code _} ().
   */
  default IntTuple dice(IntTuple tuple) {
    return this instanceof Fixed ? tuple : IntTuple.of(hit(tuple, false));
  }

  /** The coordinate with 0 at each {@code _}. */
  default IntTuple origin() {
    return switch (this) {
      case Free _ -> IntTuple.of(0);
      case Fixed fixed -> IntTuple.of(fixed.value());
      case Tuple t -> IntTuple.of(t.elements().stream().map(SliceCoordinate::origin).toList());
    };
  }

  private List<IntTuple> hit(IntTuple tuple, boolean free) {
    return switch (this) {
      case Free _ -> free ? List.of(tuple) : List.of();
      case Fixed _ -> free ? List.of() : List.of(tuple);
      case Tuple t -> {
        if (tuple instanceof IntTuple.Leaf || tuple.rank() != t.elements().size()) {
          throw new IllegalArgumentException("coordinate " + this + " does not fit " + tuple
              + ": write one for each mode");
        }
        var hit = new ArrayList<IntTuple>();
        for (int i = 0; i < tuple.rank(); i++) hit.addAll(t.elements().get(i).hit(tuple.mode(i), free));
        yield hit;
      }
    };
  }
}
