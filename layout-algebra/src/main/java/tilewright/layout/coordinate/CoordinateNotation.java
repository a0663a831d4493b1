package tilewright.layout.coordinate;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.TupleNotation;

/** Layouts with basis strides in CuTe's notation. */
final class CoordinateNotation {
  private CoordinateNotation() {}

  static CoordinateLayout layout(NodeReader reader, Node node) {
    if (!(node instanceof Node.Strided strided)) {
      throw reader.expected(node.position(), "a shape and strides, as in (4,8):(1@0,1@1)");
    }
    var strides = new ArrayList<ArithmeticTuple>();
    var shape = TupleNotation.shape(reader, strided, leaf -> strides.add(stride(reader, leaf)));
    return new CoordinateLayout(shape, strides);
  }

  private static ArithmeticTuple stride(NodeReader reader, Node node) {
    return switch (node) {
      case Node.Number number -> ArithmeticTuple.of(number.value());
      case Node.Basis basis ->
          new ArithmeticTuple(List.of(new ArithmeticTuple.Term(basis.scale(), basis.path().reversed())));
      case Node.Sum sum -> {
        try {
          yield NodeReader.each(sum.terms(), term -> stride(reader, term)).stream()
              .reduce(ArithmeticTuple.ZERO, ArithmeticTuple::plus);
        } catch (ArithmeticException _) {
          throw reader.expected(node.position(), "a sum of at most 64 bits");
        }
      }
      default -> throw reader.expected(node.position(), "an integer or a multiple of a basis element, as 2@0@1");
    };
  }
}
