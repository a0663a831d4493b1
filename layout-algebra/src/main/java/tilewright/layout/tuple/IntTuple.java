package tilewright.layout.tuple;

import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.syntax.NodeReader;

/** An integer or a tuple of such: the shape of shapes, strides and coordinates. {@code 5} and {@code (5)} differ. */
public sealed interface IntTuple {

  /** One integer. */
  record Leaf(long value) implements IntTuple {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** A tuple, possibly empty. */
  record Tuple(List<IntTuple> elements) implements IntTuple {
    public Tuple {
      elements = List.copyOf(elements);
    }

    @Override
    public String toString() {
      return elements.stream().map(IntTuple::toString).collect(Collectors.joining(",", "(", ")"));
    }
  }

  static IntTuple of(long value) {
    return new Leaf(value);
  }

  static IntTuple of(IntTuple... elements) {
    return new Tuple(List.of(elements));
  }

  static IntTuple of(List<IntTuple> elements) {
    return new Tuple(elements);
  }

  /** A flat tuple. */
  static IntTuple flat(long... values) {
    var leaves = new IntTuple[values.length];
    for (int i = 0; i < values.length; i++) leaves[i] = of(values[i]);
    return of(leaves);
  }

  /**
   * Reads a tuple such as {@code (4,(2,2))}.
   *
   * @throws LayoutSyntaxException with the position of what is wrong
   */
  static IntTuple parse(String text) {
    return NodeReader.read(text, TupleNotation::tuple);
  }

  /** One for an integer, the number of elements for a tuple. */
  default int rank() {
    return this instanceof Tuple t ? t.elements().size() : 1;
  }

  /** Zero for an integer, one more than the deepest element for a tuple. */
  default int depth() {
    return this instanceof Tuple t ? 1 + t.elements().stream().mapToInt(IntTuple::depth).max().orElse(0) : 0;
  }

  /** An element; an integer is its own element 0. */
  default IntTuple mode(int index) {
    return switch (this) {
      case Tuple t -> t.elements().get(index);
      case Leaf leaf when index == 0 -> leaf;
      case Leaf leaf -> throw new IndexOutOfBoundsException("no mode " + index + " in " + leaf);
    };
  }

  /** The elements; an integer is its own only element. */
  default List<IntTuple> modes() {
    return this instanceof Tuple t ? t.elements() : List.of(this);
  }

  /** The product of all integers; one for the empty tuple. */
  default long size() {
    return TupleTrees.product(1, this);
  }

  /** All integers, left to right. */
  default LongStream leaves() {
    return switch (this) {
      case Leaf leaf -> LongStream.of(leaf.value());
      case Tuple t -> t.elements().stream().flatMapToLong(IntTuple::leaves);
    };
  }

  default long[] flatten() {
    var leaves = new long[TupleTrees.leafCount(this)];
    TupleTrees.fill(this, leaves, 0);
    return leaves;
  }

  /** Whether both are the same tree, whatever the integers. */
  default boolean isCongruentTo(IntTuple other) {
    if (this instanceof Leaf || other instanceof Leaf) return this instanceof Leaf && other instanceof Leaf;
    if (rank() != other.rank()) return false;
    for (int i = 0; i < rank(); i++) {
      if (!mode(i).isCongruentTo(other.mode(i))) return false;
    }
    return true;
  }

  /** Whether this is a coarsening of {@code finer}: equal sizes wherever this has an integer. */
  default boolean isCompatibleWith(IntTuple finer) {
    if (this instanceof Leaf leaf) return leaf.value() == finer.size();
    if (!(finer instanceof Tuple) || rank() != finer.rank()) return false;
    for (int i = 0; i < rank(); i++) {
      if (!mode(i).isCompatibleWith(finer.mode(i))) return false;
    }
    return true;
  }

  /** Whether this tree is a truncation of the other: an integer here matches anything there. */
  default boolean isWeaklyCongruentTo(IntTuple other) {
    if (this instanceof Leaf) return true;
    if (other instanceof Leaf || rank() != other.rank()) return false;
    for (int i = 0; i < rank(); i++) {
      if (!mode(i).isWeaklyCongruentTo(other.mode(i))) return false;
    }
    return true;
  }

  /** The element that a path leads to; the whole tuple for an empty path. */
  default IntTuple at(int... path) {
    var element = this;
    for (int index : path) element = element.mode(index);
    return element;
  }

  /** The integers in the tree of {@code profile}, which has as many. */
  default IntTuple unflatten(IntTuple profile) {
    return TupleTrees.unflatten(this, profile);
  }

  /** Elements {@code begin} to {@code end} − 1 as one. */
  default IntTuple group(int begin, int end) {
    return IntTuple.of(TupleTrees.grouped(modes(), begin, end, IntTuple::of));
  }

  /** The value at every integer of this tree. */
  default IntTuple repeatLike(long value) {
    return map(_ -> value);
  }

  /** This tree with each integer replaced. */
  default IntTuple map(LongUnaryOperator leaf) {
    return switch (this) {
      case Leaf(long value) -> of(leaf.applyAsLong(value));
      case Tuple t -> of(t.elements().stream().map(e -> e.map(leaf)).toList());
    };
  }
}
