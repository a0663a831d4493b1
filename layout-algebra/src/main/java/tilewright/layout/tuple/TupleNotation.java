package tilewright.layout.tuple;

import java.util.function.Consumer;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.NodeReader;

/** Integer tuples in CuTe's notation. */
public final class TupleNotation {
  private TupleNotation() {}

  /** An integer or a tuple of integers. */
  public static IntTuple tuple(NodeReader reader, Node node) {
    return switch (node) {
      case Node.Number number -> IntTuple.of(number.value());
      case Node.Tuple tuple -> IntTuple.of(NodeReader.each(tuple.elements(), element -> tuple(reader, element)));
      default -> throw reader.expected(node.position(), "an integer or a tuple of integers");
    };
  }

  /** A tuple of extents of at least 0. */
  public static IntTuple shape(NodeReader reader, Node node) {
    var shape = tuple(reader, node);
    if (shape.leaves().anyMatch(extent -> extent < 0)) throw reader.expected(node.position(), "extents of at least 0");
    return shape;
  }

  /** The shape, congruent to the strides; {@code leaf} takes the strides, left to right. */
  public static IntTuple shape(NodeReader reader, Node.Strided node, Consumer<Node> leaf) {
    var shape = shape(reader, node.shape());
    if (!shape.isCongruentTo(tree(node.stride(), leaf))) {
      throw reader.expected(node.colon(), "strides with the tree of " + shape);
    }
    return shape;
  }

  private static IntTuple tree(Node node, Consumer<Node> leaf) {
    if (node instanceof Node.Tuple tuple) return IntTuple.of(NodeReader.each(tuple.elements(), e -> tree(e, leaf)));
    leaf.accept(node);
    return IntTuple.of(0);
  }
}
