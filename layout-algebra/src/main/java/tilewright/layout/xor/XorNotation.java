package tilewright.layout.xor;

import java.util.stream.LongStream;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleNotation;

/** Layouts with XOR strides in CuTe's notation, {@code ^} before each stride. */
final class XorNotation {
  private XorNotation() {}

  static XorLayout layout(NodeReader reader, Node node) {
    if (!(node instanceof Node.Strided strided)) {
      throw reader.expected(node.position(), "a shape and strides, as in (8,8):(^1,^9)");
    }
    var strides = LongStream.builder();
    var shape = TupleNotation.shape(reader, strided, leaf -> strides.add(stride(reader, leaf)));
    return new XorLayout(shape, IntTuple.flat(strides.build().toArray()).unflatten(shape));
  }

  private static long stride(NodeReader reader, Node node) {
    if (!(node instanceof Node.Xor xor)) {
      throw reader.expected(node.position(), "an XOR stride, as ^9, at every mode");
    }
    if (xor.stride() < 0) throw reader.expected(node.position(), "an XOR stride of at least 0");
    return xor.stride();
  }
}
